import { mapValues } from "../lib/record.ts";
import type { ListQueries } from "../store/list-query.ts";
import { requireRow, type Values } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import type { QueryResult, Task } from "../store/task.ts";
import type { Operation } from "./operation.ts";
import { MAX_LIMIT, type Page } from "./schemas.ts";

/** A page of a list. */
export interface ListPage<T> {
	readonly entries: readonly T[];
	/** How many entries the whole list has. */
	readonly total: number;
	readonly page: Page;
}

/**
 * Reads a page of a list and the length of the list.
 * @param values for the placeholders of both queries, except `limit` and `offset`
 * @param show returns an entry from a row
 */
export function* readPage<R, T>(
	store: Store,
	{ rows, count }: ListQueries<R>,
	values: Values,
	page: Page,
	show: (row: R) => T,
): Task<ListPage<T>> {
	const found = yield* rows(store).all({ ...values, ...page });
	const { length } = found;
	const isLast = length < page.limit && (length > 0 || page.offset === 0);
	const total = isLast
		? page.offset + length
		: requireRow(yield* count(store).get(values)).count;
	return { entries: found.map(show), total, page };
}

/** Reads some rows of a list; the first ones without `offset`. */
export function firstOf<R>(
	store: Store,
	{ rows }: ListQueries<R>,
	values: Values,
	limit: number,
	offset = 0,
): QueryResult<R[]> {
	return rows(store).all({ ...values, limit, offset });
}

/**
 * The fields of an answer that stand beside a list: `total`, and `next`, the path of the next page, if there is one.
 * @param path of the list
 * @param query the parameters that the pages have in common
 */
export function listPosition(
	path: string,
	{ entries, total, page: { limit, offset } }: ListPage<unknown>,
	query: Readonly<Record<string, string | number>> = {},
): { readonly total: number; readonly next?: string } {
	const end = offset + entries.length;
	if (entries.length === 0 || end >= total) return { total };
	const paging = {
		limit: String(Math.min(limit, MAX_LIMIT)),
		offset: String(end),
	};
	// Twice: first for the order of the parameters, then to replace the values of this page.
	const search = { ...paging, ...mapValues(query, String), ...paging };
	return { total, next: `${path}?${new URLSearchParams(search)}` };
}

/**
 * Returns a function that brings a list's query to its canonical form, without parameters that are empty or have their
 * default.
 * @param defaults the values of parameters that are left out
 * @param compared brings text parameters to the form in which they are compared
 */
export function canonicalQuery(
	defaults: Readonly<Record<string, string | number>>,
	compared: Readonly<Record<string, (text: string) => string>> = {},
): NonNullable<Operation["canonical"]> {
	return (query) =>
		Object.fromEntries(
			Object.entries(query)
				.map(([name, value]): [string, string | number] => [
					name,
					compared[name]?.(String(value)) ?? value,
				])
				.filter(([name, value]) => value !== "" && value !== defaults[name]),
		);
}
