import { setImmediate } from "node:timers/promises";
import type { Page } from "../../core/resort/schemas.ts";
import type { Values } from "../../core/store/query.ts";
import type { Store } from "../../core/store/store.ts";
import type { QueryResult } from "../../core/store/task.ts";

/** The maximum number of rows that a search reads in one query. */
export const ROWS_AT_ONCE = 1_000;

interface SearchedRows<Row> {
	/** Selects the newest `limit` rows before the row with the number `seq`. Both are placeholders. */
	readonly before: (store: Store) => { all(values: Values): QueryResult<Row[]> };
	readonly matches: (row: Row) => boolean;
	readonly page: Page;
}

/**
 * Reads rows in batches, newest first, and compares them in this program, because SQLite and PostgreSQL ignore
 * case differently. Other calls run between the batches.
 * @returns the matching rows of the page, and the number of matching rows on all pages
 */
export async function searchRows<Row extends { readonly seq: number }>(
	store: Store,
	{ before, matches, page: { limit, offset } }: SearchedRows<Row>,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
	const found: Row[] = [];
	let total = 0;
	let batch: readonly Row[];
	let seq = Number.MAX_SAFE_INTEGER;
	do {
		await setImmediate();
		const values = { seq, limit: ROWS_AT_ONCE };
		batch = await store.read(() => before(store).all(values));
		for (const row of batch) {
			seq = row.seq;
			if (!matches(row)) continue;
			if (total >= offset && found.length < limit) found.push(row);
			total++;
		}
	} while (batch.length === ROWS_AT_ONCE);
	return { rows: found, total };
}

/**
 * Converts a text to a form for comparisons that ignore case. Upper case is applied last, because a Greek
 * sigma has a different lower case at the end of a word.
 */
export function foldCase(text: string): string {
	return text.toLowerCase().toUpperCase();
}
