import type { ListQueries } from "../store/list-query.ts";
import { listPosition, readPage } from "./lists.ts";
import { type Operation, operation } from "./operation.ts";
import { Paging, toPage } from "./schemas.ts";
import type { ServiceContext } from "./service-context.ts";

/** The definition of an operation that lists data of the caller. */
interface OwnList<R>
	extends Pick<
		Operation,
		"id" | "path" | "summary" | "description" | "tag" | "answers"
	> {
	/** The field of the answer that has the list. */
	readonly field: string;
	/** Its queries, with the placeholder `agentId`. */
	readonly list: ListQueries<R>;
	/** Returns an entry from a row. */
	readonly show: (row: R, context: ServiceContext, agentId: string) => object;
}

/** Creates an operation that lists data of the caller. */
export function ownList<R>({
	field,
	list,
	show,
	...definition
}: OwnList<R>): Operation {
	return operation({
		...definition,
		method: "GET",
		credential: "any",
		query: Paging,
		*read({ context, caller, query }) {
			const agentId = caller.agent.id;
			const page = yield* readPage(
				context.store,
				list,
				{ agentId },
				toPage(query),
				(row) => show(row, context, agentId),
			);
			return {
				[field]: page.entries,
				...listPosition(definition.path, page),
			};
		},
	});
}
