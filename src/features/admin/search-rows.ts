import { readPage } from "../../core/resort/lists.ts";
import type { Page } from "../../core/resort/schemas.ts";
import type { ListQueries } from "../../core/store/list-query.ts";
import type { Values } from "../../core/store/query.ts";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { readParts } from "./read-parts.ts";

/** The queries of a list that can be searched. */
export interface SearchableList<Row> {
	readonly all: ListQueries<Row>;
	/** Selects rows for one step of {@link readParts}: the newest ones before the row with the number `seq`. */
	readonly before: (store: Store) => { all(values: Values): Task<Row[]> };
}

interface Search<Row> {
	/** The values for the placeholders of the list, other than `seq`, `limit` and `offset`. */
	readonly values: Values;
	readonly page: Page;
	/** Whether a row is part of the result; null if every row is. */
	readonly matches: ((row: Row) => boolean) | null;
}

/**
 * Returns a page of the rows that match, and the number of matching rows on all pages. Reads rows in batches,
 * newest first, and compares them in this program, because SQLite and PostgreSQL ignore case differently.
 * Other calls run between the batches.
 */
export async function searchRows<Row extends { readonly seq: number }>(
	store: Store,
	{ all, before }: SearchableList<Row>,
	{ values, matches, page }: Search<Row>,
): Promise<{ readonly entries: readonly Row[]; readonly total: number }> {
	if (matches === null) return store.read(() => readPage(store, all, values, page));
	const entries: Row[] = [];
	let total = 0;
	await readParts<Row>(
		store,
		(last) => before(store).all({ ...values, seq: last?.seq ?? Number.MAX_SAFE_INTEGER }),
		(row) => {
			if (!matches(row)) return;
			if (total >= page.offset && entries.length < page.limit) entries.push(row);
			total++;
		},
	);
	return { entries, total };
}

/**
 * Converts a text to a form for comparisons that ignore case. Upper case is applied last, because a Greek
 * sigma has a different lower case at the end of a word.
 */
export function foldCase(text: string): string {
	return text.toLowerCase().toUpperCase();
}
