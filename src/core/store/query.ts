/**
 * Prepared queries. Drizzle is used only to generate the SQL of each query once. It does not convert values
 * and rows, because this would take longer than SQLite takes to run the query.
 */

import { Column, type GetColumnData, is, Param, Placeholder, type Query, type SQL, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import { once } from "../lib/once.ts";
import { mapValues, recordOf } from "../lib/record.ts";
import type { EngineRow, Store, Value } from "./store.ts";
import type { Task } from "./task.ts";

/** Creates an alias of a table, for a query that reads the table twice. */
export { alias };

/** A column of a table. */
export type TableColumn = SQLiteColumn;

/** The query builder, which generates SQL from the tables. It has no connection to a database. */
export type Builder = ReturnType<typeof drizzle.mock>;

/** The builder of all queries. It converts the names of columns to snake_case. */
export const builder: Builder = drizzle.mock({ casing: "snake_case" });

/** The fields of a row by name. Columns are decoded. Expressions keep the values that the engine returns. */
export type Fields = Readonly<Record<string, SQLiteColumn | SQL>>;

type Named<F extends Fields> = { readonly [Name in keyof F]: SQL.Aliased };

/** A row of a query with these fields. */
export type Row<F extends Fields> = {
	-readonly [Name in keyof F]: F[Name] extends SQLiteColumn
		? GetColumnData<F[Name]>
		: F[Name] extends SQL<infer Value>
			? Value
			: never;
};

/** The values of a query's placeholders before they are encoded: an array, for example, for a JSON column. */
export type Values = Readonly<Record<string, unknown>>;

/** A query prepared on a store. */
export interface PreparedQuery<F extends Fields> {
	/** Returns the first row; undefined if there is none. */
	get(values: Values): Task<Row<F> | undefined>;
	all(values: Values): Task<Row<F>[]>;
	run(values: Values): Task<void>;
}

/**
 * Defines a query.
 * @param build builds the query, with placeholders for the variable parts; it must select or return `fields`
 * @param locks whether the query locks the rows that it reads until the end of the transaction
 * @returns a function that prepares the query on a store, at the first call for this store
 */
export function query<F extends Fields>(
	fields: F,
	build: (builder: Builder, fields: Named<F>) => { toSQL(): Query },
	locks = false,
): (store: Store) => PreparedQuery<F> {
	const built = once(() => build(builder, named(fields)).toSQL());
	const prepared = new WeakMap<Store, PreparedQuery<F>>();
	const prepareOn = (store: Store) => prepare(store, fields, built(), locks);
	return (store) => prepared.getOrInsertComputed(store, prepareOn);
}

/** Returns `row`, the result of a query that must find a row. @throws Error if there is no row */
export function requireRow<T>(row: T | undefined): T {
	if (row === undefined) throw new Error("a query returned no row");
	return row;
}

/** Returns a placeholder for each column that an update sets. Values are encoded as the column requires. */
export function assignments<Name extends string>(
	table: Readonly<Record<Name, SQLiteColumn>>,
	...names: readonly Name[]
): Record<Name, SQL> {
	return recordOf(names, (name) => sql`${new Param(sql.placeholder(name), table[name])}`);
}

function prepare<F extends Fields>(
	store: Store,
	fields: F,
	{ sql: text, params }: Query,
	locks: boolean,
): PreparedQuery<F> {
	const statement = store.prepare(text, locks);
	const bindings = params.map(bindingOf);
	const encoded = Object.entries(fields).filter(isEncoded);
	const bind = (values: Values) => bindings.map((binding) => binding(values));
	const read = (row: EngineRow) => {
		for (const [name, column] of encoded) {
			const value = row[name];
			if (value !== null) row[name] = column.mapFromDriverValue(value);
		}
		return row as Row<F>;
	};
	return {
		get: (values) => statement.get(bind(values), read),
		all: (values) => statement.all(bind(values), read),
		run: (values) => statement.run(bind(values)),
	};
}

/** Returns the fields with their names as aliases, so that the engine's rows have these names. */
function named<F extends Fields>(fields: F): Named<F> {
	return mapValues(fields, (field, name) => sql`${field}`.as(name)) as Named<F>;
}

/** Whether the values of a field are stored in an encoded form, such as JSON. */
function isEncoded(field: [string, SQLiteColumn | SQL]): field is [string, SQLiteColumn] {
	return is(field[1], Column) && field[1].mapFromDriverValue !== Column.prototype.mapFromDriverValue;
}

/** Returns a function that finds the encoded value of a parameter, given the values of all placeholders. */
function bindingOf(parameter: unknown): (values: Values) => Value {
	const inner = is(parameter, Param) ? parameter.value : parameter;
	if (!is(inner, Placeholder)) return () => parameter as Value;
	const { name } = inner;
	const encoder = is(parameter, Param) ? parameter.encoder : null;
	const isPlain = encoder === null || encoder.mapToDriverValue === Column.prototype.mapToDriverValue;
	return (values) => {
		const value = values[name];
		if (value === undefined) throw new TypeError(`no value for ${name}`);
		if (isPlain || value === null) return value as Value;
		return encoder.mapToDriverValue(value) as Value;
	};
}
