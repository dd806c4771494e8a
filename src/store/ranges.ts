import { setImmediate } from "node:timers/promises";
/** Going through all rows of a table in the order of their numbers, some at a time, so that others are answered. */
import { and, asc, desc, gt, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { query } from "./query.ts";
import type { Store } from "./store.ts";

/** How many rows are read at a time: some 5 ms when few of them are wanted. */
export const READ_AT_ONCE = 10_000;

/** How many are changed in one change: far from what PostgreSQL allows a change, also when all of them are. */
export const CHANGED_AT_ONCE = 2_000;

/** Some rows by their numbers: those after `after`, up to `to`. The values of the placeholders of {@link Ranges.isIn}. */
export interface Range extends Readonly<Record<string, number>> {
	readonly after: number;
	readonly to: number;
}

/** The ranges of a table. */
export interface Ranges {
	/** The condition that a row is in a range. */
	readonly isIn: SQL | undefined;
	/**
	 * Goes through all rows that there are now, a range at a time.
	 * @param atOnce how many numbers a range has
	 * @throws what `visit` throws, ResortError `unavailable`
	 */
	visit(
		store: Store,
		atOnce: number,
		visit: (range: Range) => void | Promise<void>,
	): Promise<void>;
}

/**
 * The ranges of a table. A question that is asked of one should offer no other index: what one agent has is read
 * anew for each range otherwise.
 * @param number its key
 */
export function rangesOf(table: SQLiteTable, number: SQLiteColumn): Ranges {
	const edge = (order: SQL) =>
		query({ at: sql<number>`${number}` }, (builder, fields) =>
			builder.select(fields).from(table).orderBy(order).limit(1),
		);
	const first = edge(asc(number));
	const last = edge(desc(number));
	return {
		isIn: and(
			gt(number, sql.placeholder("after")),
			lte(number, sql.placeholder("to")),
		),
		async visit(store, atOnce, visit) {
			const { from, end } = await store.read(function* () {
				const from = (yield* first(store).get({}))?.at ?? 1;
				return { from, end: (yield* last(store).get({}))?.at ?? 0 };
			});
			for (let after = from - 1; after < end; after += atOnce) {
				await visit({ after, to: after + atOnce });
				await setImmediate();
			}
		},
	};
}

/** A column of texts, written so that no index of it serves. */
export function unindexed(column: SQLiteColumn): SQL {
	return sql`${column} || ''`;
}
