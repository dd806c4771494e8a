import { type TSchema, Type } from "@sinclair/typebox";
import type { NOTICE } from "../../content/notice.ts";
import { mapValues } from "../lib/record.ts";
import type { ListQueries } from "../store/list-query.ts";
import { requireRow, type Values } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import type { Caller } from "./agents/authenticated-agent.ts";
import { type Operation, operation } from "./operation.ts";
import { ListAnswer, MAX_LIMIT, type Page, Paging, toPage } from "./schemas.ts";
import type { ServiceContext } from "./service-context.ts";

/** A page of a list. */
export interface ListPage<T> {
	readonly entries: readonly T[];
	readonly hasMore: boolean;
	readonly page: Page;
	/** The number of entries in the whole list; omitted if the entries were not counted. */
	readonly total?: number;
}

/**
 * Reads a page of a list, without counting the rows of the whole list.
 * @param values the values for all placeholders of the queries except `limit` and `offset`
 */
export function* readUncounted<R>(
	store: Store,
	{ rows }: Pick<ListQueries<R>, "rows">,
	values: Values,
	page: Page,
): Task<ListPage<R>> {
	const found = yield* rows(store).all({ ...values, limit: page.limit + 1, offset: page.offset });
	return { entries: found.slice(0, page.limit), hasMore: found.length > page.limit, page };
}

/** Like {@link readUncounted}, but also counts the rows of the whole list. */
export function* readPage<R>(
	store: Store,
	list: ListQueries<R>,
	values: Values,
	page: Page,
): Task<ListPage<R> & { readonly total: number }> {
	const part = yield* readUncounted(store, list, values, page);
	const end = page.offset + part.entries.length;
	const isLast = !part.hasMore && (part.entries.length > 0 || end === 0);
	const total = isLast ? end : requireRow(yield* list.count(store).get(values)).count;
	return { ...part, total };
}

/** Reads the first rows of a list. */
export function firstOf<R>(
	store: Store,
	{ rows }: ListQueries<R>,
	{ values, limit }: { readonly values: Values; readonly limit: number },
): Task<R[]> {
	return rows(store).all({ ...values, limit, offset: 0 });
}

/**
 * Returns the fields that describe a page in an answer: `total` if the entries were counted, and the path of
 * the `next` page if there is one.
 * @param query the other parameters of the request, which `next` repeats
 */
export function listPosition(
	path: string,
	{ entries, hasMore, page: { limit, offset }, total }: ListPage<unknown>,
	query: Readonly<Record<string, string | number>> = {},
): { readonly total?: number; readonly next?: string } {
	const counted = total === undefined ? {} : { total };
	if (!hasMore) return counted;
	const paging = { limit: String(Math.min(limit, MAX_LIMIT)), offset: String(offset + entries.length) };
	// The first `...paging` puts `limit` and `offset` first. The second one restores their values, which
	// `query` may have overwritten.
	const search = { ...paging, ...mapValues(query, String), ...paging };
	return { ...counted, next: `${path}?${new URLSearchParams(search)}` };
}

/** The definition of an operation that lists data of the caller. */
interface OwnList<R> extends Pick<Operation, "id" | "summary" | "description"> {
	/** The name of the field of the answer that contains the list. */
	readonly field: string;
	/** The schema of an entry. */
	readonly entry: TSchema;
	/** A notice that precedes the list in the answer. */
	readonly notice?: typeof NOTICE;
	/** The queries of the list. They may contain the placeholders `agentId` (the caller) and `nowMs`. */
	readonly list: ListQueries<R>;
	/** Converts a row to an entry. */
	readonly show: (row: R, context: ServiceContext, caller: Caller) => object;
}

/** Creates an operation that lists data of the caller. */
export function ownList<R>(
	path: `/${string}`,
	{ field, entry, notice, list, show, ...definition }: OwnList<R>,
): Operation {
	return operation(`GET ${path}`, {
		...definition,
		query: Paging,
		answers: { 200: ListAnswer(field, entry, notice ? { notice: Type.String() } : {}) },
		*read({ context, caller, query }) {
			const values = { agentId: caller.agent.id, nowMs: context.clock() };
			const page = yield* readPage(context.store, list, values, toPage(query));
			const entries = page.entries.map((row) => show(row, context, caller));
			return { notice, [field]: entries, ...listPosition(path, page) };
		},
	});
}
