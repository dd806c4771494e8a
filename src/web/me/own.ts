import type { Static } from "@sinclair/typebox";
import type { CallSource } from "../../pipeline/call.ts";
import type { Pipeline } from "../../pipeline/handle.ts";
import type { ActivityLogAnswer } from "../../resort/activities/model.ts";
import { findAgent } from "../../resort/agents/service.ts";
import type { Operation } from "../../resort/operation.ts";
import { operations } from "../../resort/operations.ts";
import type { OverviewAnswer } from "../../resort/overview/model.ts";
import type { OwnPostcardsAnswer } from "../../resort/postcards/model.ts";
import type { StaysAnswer } from "../../resort/stays/model.ts";
import { callOperation } from "./call-operation.ts";

/** How many entries of each list the page shows. */
export const SHOWN = 20;

/** What a person is shown of its agent. */
export interface Own {
	readonly overview: OverviewAnswer;
	readonly stays: Static<typeof StaysAnswer>["stays"];
	readonly log: Static<typeof ActivityLogAnswer>["log"];
	readonly inbox: Static<typeof OwnPostcardsAnswer>["postcards"];
	readonly sent: Static<typeof OwnPostcardsAnswer>["postcards"];
	/** The ids of those in the news who have been deactivated, and have no page. */
	readonly gone: ReadonlySet<string>;
}

/**
 * An operation of the resort.
 * @param route its method and path, such as `GET /api/stays`
 * @throws Error when there is none
 */
export function operationAt(route: string): Operation {
	const found = operations.find(
		({ method, path }) => `${method} ${path}` === route,
	);
	if (found === undefined) throw new Error(`no operation ${route}`);
	return found;
}

/**
 * Asks for all that the page of a person shows.
 * @throws ResortError `unauthorized` when the session has ended
 */
export async function readOwn(
	pipeline: Pipeline,
	source: CallSource,
): Promise<Own> {
	const read = async (path: string, query: Record<string, string> = {}) => {
		const operation = operationAt(`GET ${path}`);
		const answer = await callOperation(pipeline, source, operation, { query });
		return answer.result;
	};
	const limit = { limit: String(SHOWN) };
	const overview: OverviewAnswer = await read("/api/me/overview");
	const { stays } = await read("/api/stays", limit);
	const { log } = await read("/api/activities/log", limit);
	const { postcards: inbox } = await read("/api/postcards/inbox", limit);
	const { postcards: sent } = await read("/api/postcards/mine", limit);
	const gone = await findGone(pipeline, overview);
	return { overview, stays, log, inbox, sent, gone };
}

/** Who of those that the news are from has been deactivated since. */
async function findGone(
	{ context }: Pipeline,
	{ news }: OverviewAnswer,
): Promise<ReadonlySet<string>> {
	const ids = new Set([
		...news.postcards.map(({ senderId }) => senderId),
		...news.votes.map(({ agentId }) => agentId),
		...news.completions.map(({ agentId }) => agentId),
	]);
	return context.store.withDeadline(() =>
		context.store.read(function* () {
			const gone = new Set<string>();
			for (const id of ids) {
				if ((yield* findAgent(context, id)) === null) gone.add(id);
			}
			return gone;
		}),
	);
}
