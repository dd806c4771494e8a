/** Common queries on a single table. */
import {
	type Column,
	count,
	getTableColumns,
	getTableName,
	inArray,
	type Placeholder,
	type SQL,
	sql,
} from "drizzle-orm";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { recordOf } from "../lib/record.ts";
import { type Join, joined } from "./list-query.ts";
import { assignments, type Builder, type Fields, query } from "./query.ts";

type ColumnName<T extends SQLiteTable> = keyof T["_"]["columns"] & string;

type Assigned = Parameters<ReturnType<Builder["update"]>["set"]>[0];

const NO_FIELDS = {};

/** The options of {@link selectFrom}. */
export interface Selection {
	/** The other tables that the query refers to. */
	readonly joins?: readonly Join[];
	readonly orderBy?: readonly (SQLiteColumn | SQL)[];
	readonly limit?: number | Placeholder;
	/** The number of rows to skip. Requires `limit`. */
	readonly offset?: number | Placeholder;
	/** Whether to lock the rows until the end of the transaction. */
	readonly locks?: true;
}

/** Selects the rows of a table that match a condition. */
export function selectFrom<F extends Fields>(
	table: SQLiteTable,
	fields: F,
	where?: SQL,
	{ joins = [], orderBy = [], limit, offset, locks }: Selection = {},
) {
	return query(
		fields,
		(builder, selection) => {
			const rows = joined(builder.select(selection).from(table).$dynamic(), joins);
			rows.where(where);
			rows.orderBy(...orderBy);
			if (limit !== undefined) rows.limit(limit);
			if (offset !== undefined) rows.offset(offset);
			return rows;
		},
		locks,
	);
}

/** Counts the rows of a table that match a condition. */
export function countIn(table: SQLiteTable, where?: SQL) {
	return selectFrom(table, { count: sql<number>`${count()}` }, where);
}

/**
 * Returns placeholders for the columns of a new row, except computed columns and columns with a default.
 * @param omitted columns that become null
 */
export function newRow<T extends SQLiteTable>(
	table: T,
	...omitted: readonly ColumnName<T>[]
): Record<ColumnName<T>, Placeholder> {
	const columns: Record<string, Column> = getTableColumns(table);
	const names = Object.keys(columns).filter((name) => {
		const { hasDefault, generated } = columns[name] as Column;
		return !hasDefault && generated === undefined && !omitted.some((one) => one === name);
	});
	return recordOf(names as ColumnName<T>[], (name) => sql.placeholder(name));
}

/** Inserts a row with the placeholders of {@link newRow}, and returns all columns of the row. */
export function insertReturning<T extends SQLiteTable>(table: T, ...omitted: readonly ColumnName<T>[]) {
	const columns: T["_"]["columns"] = getTableColumns(table);
	return query(columns, (builder, row) =>
		builder
			.insert(table)
			.values(newRow(table, ...omitted) as never)
			.returning(row),
	);
}

/** Inserts a row with the placeholders of {@link newRow}. */
export function insertInto<T extends SQLiteTable>(table: T, ...omitted: readonly ColumnName<T>[]) {
	return query({}, (builder) => builder.insert(table).values(newRow(table, ...omitted) as never));
}

/**
 * Inserts a row with the placeholders of {@link newRow}, or updates the row with the same key.
 * @param key the column of a unique index
 * @param where the condition for updating an existing row. If the row does not match, it is not updated, and
 * the query returns no row. By default, every row is updated
 */
export function upsertIn<F extends Fields>(
	table: SQLiteTable,
	key: string,
	{ set, fields, where }: { readonly set: Assigned; readonly fields: F; readonly where?: SQL },
) {
	return query(fields, (builder, row) =>
		builder
			.insert(table)
			.values(newRow(table) as never)
			// The column has no table name, because some engines do not accept table names in `ON CONFLICT`.
			.onConflictDoUpdate({ target: sql.raw(`"${key}"`), set, ...(where && { setWhere: where }) })
			.returning(row),
	);
}

/**
 * Updates the rows of a table that match a condition.
 * @param fields the fields that the query returns for each updated row
 */
export function updateIn<F extends Fields = typeof NO_FIELDS>(
	table: SQLiteTable,
	values: Assigned,
	where: SQL | undefined,
	fields?: F,
) {
	return query(fields ?? (NO_FIELDS as F), (builder, row) => {
		const update = builder.update(table).set(values).where(where);
		return fields === undefined ? update : update.returning(row);
	});
}

/**
 * Updates the rows that match a condition. Each column is set to the placeholder with the column's name.
 * @param fields the fields that the query returns for each updated row
 */
export function setIn<T extends SQLiteTable, F extends Fields = typeof NO_FIELDS>(
	table: T,
	names: readonly ColumnName<T>[],
	where: SQL | undefined,
	fields?: F,
) {
	const values = assignments(getTableColumns(table), ...names);
	return updateIn(table, values, where, fields);
}

/**
 * Deletes the rows of a table that match a condition.
 * @param fields the fields that the query returns for each deleted row
 */
export function deleteFrom<F extends Fields = typeof NO_FIELDS>(
	table: SQLiteTable,
	where: SQL | undefined,
	fields?: F,
) {
	return query(fields ?? (NO_FIELDS as F), (builder, row) => {
		const deletion = builder.delete(table).where(where);
		return fields === undefined ? deletion : deletion.returning(row);
	});
}

/** The maximum number of keys in one query. */
const MAX_KEYS = 100;

const keyNames = Array.from({ length: MAX_KEYS }, (_, at) => `key${at}`);

/** Returns the condition that a column has one of at most 100 keys (see {@link keyValues}). */
export function inKeys(column: SQLiteColumn): SQL {
	const keys = keyNames.map((name) => sql.placeholder(name));
	return inArray(column, keys);
}

/** Returns the values for {@link inKeys}. Unused placeholders get null. */
export function keyValues(keys: readonly number[]): Record<string, number | null> {
	return Object.fromEntries(keyNames.map((name, at) => [name, keys[at] ?? null]));
}

/** A table. Only `store/` may import Drizzle's types of SQLite tables (see docs/architecture.md). */
export type Table = SQLiteTable;

/** A table whose rows are numbered in the column `seq`. */
export type NumberedTable = Table & { readonly seq: SQLiteColumn };

/** Sorts tables by name, but places each table after the tables to which its foreign keys refer. */
export function sortTables(tables: readonly Table[]): readonly Table[] {
	return tables
		.toSorted((a, b) => (getTableName(a) < getTableName(b) ? -1 : 1))
		.toSorted((a, b) => depthOf(a) - depthOf(b));
}

/** Returns the length of the longest chain of references from a table; 1 without references. */
function depthOf(table: SQLiteTable): number {
	const depths = getTableConfig(table).foreignKeys.map((key) => depthOf(key.reference().foreignTable));
	return Math.max(0, ...depths) + 1;
}
