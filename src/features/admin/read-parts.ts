import { setImmediate } from "node:timers/promises";
import type { Store } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";

/** The maximum number of rows that one query reads. Other calls can run before the next query. */
export const ROWS_AT_ONCE = 1_000;

/**
 * Reads rows in parts of {@link ROWS_AT_ONCE}. Other calls run between the parts.
 * @param readAfter reads the part that follows the row `last`, or the first part if `last` is null
 * @param use returns false if no further part is needed
 */
export async function readParts<Row>(
	store: Store,
	readAfter: (last: Row | null) => Task<Row[]>,
	use: (row: Row) => unknown,
): Promise<void> {
	for (let last: Row | null = null; ; await setImmediate()) {
		const after: Row | null = last;
		const rows: Row[] = await store.read(() => readAfter(after));
		const answers = rows.map(use);
		last = rows.at(-1) ?? null;
		if (rows.length < ROWS_AT_ONCE || answers.at(-1) === false) return;
	}
}
