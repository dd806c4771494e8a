import { asc, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { type Builder, query } from "./query.ts";

/** The greatest number of keys in one query. */
export const MAX_KEYS = 100;

const names = Array.from({ length: MAX_KEYS }, (_, at) => `key${at}`);

/** The condition that a column has one of the values of {@link keyValues}. */
export function inKeys(column: SQLiteColumn): SQL {
	return inArray(
		column,
		names.map((name) => sql.placeholder(name)),
	);
}

/**
 * The values of the placeholders of {@link inKeys}.
 * @param keys at most {@link MAX_KEYS}
 */
export function keyValues(
	keys: readonly number[],
): Record<string, number | null> {
	return Object.fromEntries(names.map((name, at) => [name, keys[at] ?? null]));
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

/** Selects the keys of rows with a condition, and updates those with the keys of {@link keyValues}. */
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
			builder.update(table).set(values).where(inKeys(table.seq)),
		),
	};
}
