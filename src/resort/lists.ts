import { inOrder, sliceValues } from "../store/page.ts";
import type { Values } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import type { QueryResult, Task } from "../store/task.ts";
import type { Operation } from "./operation.ts";
import { LongList } from "./reply.ts";
import type { Page } from "./schemas.ts";

interface Keyed {
	readonly seq: number;
}

type Asked<R> = (store: Store) => { all(values: Values): QueryResult<R[]> };

/** The two questions that a list is read with. */
export interface StoredList<R extends Keyed> {
	/** The keys of a page, in the list's order, with the placeholders `limit` and `offset`. */
	readonly keys: Asked<Keyed>;
	/** The rows of a slice, by their keys, with the placeholders of `sliceValues`. */
	readonly rows: Asked<R>;
}

/**
 * A page of a list in the store.
 * @param values for the placeholders of `keys`, except `limit` and `offset`
 * @param show makes an item of the list from a row
 */
export function listOf<R extends Keyed, T>(
	store: Store,
	{ keys, rows }: StoredList<R>,
	values: Values,
	{ limit, offset }: Page,
	show: (row: R) => T,
): LongList<T> {
	return new LongList(
		function* (from, count) {
			const page = yield* keys(store).all({
				...values,
				limit: Math.max(0, Math.min(count, limit - from)),
				offset: offset + from,
			});
			return page.map(({ seq }) => seq);
		},
		function* (slice) {
			const found = yield* rows(store).all(sliceValues(slice));
			return inOrder(slice, found).map(show);
		},
		offset,
	);
}

/** Some rows of a list, its first ones when nothing else is said, as they are kept. */
export function* firstOf<R extends Keyed>(
	store: Store,
	{ keys, rows }: StoredList<R>,
	values: Values,
	limit: number,
	offset = 0,
): Task<R[]> {
	const page = yield* keys(store).all({ ...values, limit, offset });
	const slice = page.map(({ seq }) => seq);
	return inOrder(slice, yield* rows(store).all(sliceValues(slice)));
}

/**
 * Makes the function that brings a list's query to its canonical form, without parameters that are empty or usual.
 * @param usual what the list takes for parameters that are left out
 * @param compared brings text parameters to the form in which they are compared
 */
export function canonicalQuery(
	usual: Readonly<Record<string, string | number>>,
	compared: Readonly<Record<string, (text: string) => string>> = {},
): NonNullable<Operation["canonical"]> {
	return (query) =>
		Object.fromEntries(
			Object.entries(query)
				.map(([name, value]): [string, string | number] => [
					name,
					compared[name]?.(String(value)) ?? value,
				])
				.filter(([name, value]) => value !== "" && value !== usual[name]),
		);
}
