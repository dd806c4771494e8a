import { asc, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Builder, query } from "./query.ts";

/**
 * Chooses the rows of a page by reading an index alone; the query that shows them then looks up only these rows.
 * @param order must be repeated by the query that shows them
 * @returns a subquery of their `seq`, with the placeholders `limit` and `offset`
 */
export function pageOf(
	builder: Builder,
	table: SQLiteTable & { readonly seq: SQLiteColumn },
	condition: SQL | undefined,
	order: readonly SQL[],
) {
	return builder
		.select({ seq: table.seq })
		.from(table)
		.where(condition)
		.orderBy(...order)
		.limit(sql.placeholder("limit"))
		.offset(sql.placeholder("offset"));
}

/** How many rows are read at a time of a list that may be long, also the most that have a limit: some 1 ms. */
export const SLICE = 100;

/** The names of a slice's placeholders. */
const slots = Array.from({ length: SLICE }, (_, at) => `key${at}`);

/** The condition that a row's key is among those of a slice, with the placeholders of {@link sliceValues}. */
export function inSlice(key: SQLiteColumn): SQL {
	return inArray(
		key,
		slots.map((name) => sql.placeholder(name)),
	);
}

/**
 * The values of the placeholders of {@link inSlice}.
 * @param keys at most {@link SLICE}
 */
export function sliceValues(
	keys: readonly number[],
): Record<string, number | null> {
	const values: Record<string, number | null> = {};
	for (let at = 0; at < SLICE; at++) {
		values[slots[at] ?? ""] = keys[at] ?? null;
	}
	return values;
}

/** A table whose rows have numbers. */
export type NumberedTable = SQLiteTable & { readonly seq: SQLiteColumn };

/** Selects the rows of a table with a condition, oldest first. */
export function rowsWith(
	table: NumberedTable,
	condition: (builder: Builder) => SQL | undefined,
) {
	return query(getTableColumns(table), (builder, fields) =>
		builder
			.select(fields)
			.from(table)
			.where(condition(builder))
			.orderBy(asc(table.seq)),
	);
}

/** Selects the keys of rows with a condition, and updates those of a slice of them. */
export function slicedUpdate(
	table: NumberedTable,
	values: Parameters<ReturnType<Builder["update"]>["set"]>[0],
	condition: (builder: Builder) => SQL | undefined,
) {
	return {
		keys: query({ seq: sql<number>`${table.seq}` }, (builder, fields) =>
			builder.select(fields).from(table).where(condition(builder)),
		),
		update: query({}, (builder) =>
			builder.update(table).set(values).where(inSlice(table.seq)),
		),
	};
}

/** The rows of a slice in the order of its keys; a row that is gone is left out. */
export function inOrder<T extends { readonly seq: number }>(
	keys: readonly number[],
	rows: readonly T[],
): T[] {
	const bySeq = new Map(rows.map((row) => [row.seq, row]));
	return keys.flatMap((key) => bySeq.get(key) ?? []);
}
