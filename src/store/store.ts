import type { SQLQueryBindings } from "bun:sqlite";
import {
	Column,
	type GetColumnData,
	is,
	Param,
	Placeholder,
	type Query,
	type SQL,
	sql,
} from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Connection, openConnection } from "./sqlite/connection.ts";

/** The query builder, for reads and, inside a change of the writer, for writes. */
export type Db = BunSQLiteDatabase;

/** An open database and what it is asked with. */
export interface Store extends Connection {
	readonly db: Db;
}

/**
 * Opens a database, as {@link openConnection} does.
 * @throws StartError
 */
export function openStore(path: string): Store {
	return storeOn(openConnection(path));
}

/** What an open database is asked with. */
export function storeOn(connection: Connection): Store {
	const db = drizzle(connection.sqlite, { casing: "snake_case" });
	return { ...connection, db };
}

/**
 * A query that is built and prepared once for each store, at its first use.
 * @param build makes the prepared query
 */
export function prepared<Q extends object>(
	build: (db: Db) => Q,
): (store: Store) => Q {
	return onceEach(({ db }) => build(db));
}

/** What a row of a direct statement holds; an expression is given as SQLite gives it. */
type Fields = Readonly<Record<string, SQLiteColumn | SQL>>;

type Named<F extends Fields> = { readonly [Name in keyof F]: SQL.Aliased };

type Row<F extends Fields> = {
	-readonly [Name in keyof F]: F[Name] extends SQLiteColumn
		? GetColumnData<F[Name]>
		: F[Name] extends SQL<infer Value>
			? Value
			: never;
};

/** A statement with nothing between it and SQLite; both functions take a value for each placeholder. */
export interface Direct<F extends Fields> {
	/** Runs it to its end, and gives its first row. */
	get(values: Readonly<Record<string, SQLQueryBindings>>): Row<F> | undefined;
	run(values: Readonly<Record<string, SQLQueryBindings>>): void;
}

/**
 * Like {@link prepared}, for the few statements of every request with a credential and of the busiest
 * changes: Drizzle writes them, so that names follow the tables, but does not run them, as its reading of
 * values and rows takes longer than SQLite itself.
 * @param fields what rows hold; `{}` for none
 * @param build makes the query, all of whose parameters are placeholders, on the fields as it is to select them
 */
export function direct<F extends Fields>(
	fields: F,
	build: (db: Db, fields: Named<F>) => { toSQL(): Query },
): (store: Store) => Direct<F> {
	return onceEach(({ db, sqlite }) => {
		const { sql: text, params } = build(db, namedAsThemselves(fields)).toSQL();
		const statement = sqlite.prepare<
			Record<string, unknown>,
			SQLQueryBindings[]
		>(text);
		const names = params.map(placeholderOf);
		const encoded = Object.entries(fields).filter(isEncoded);
		const bindings = (values: Readonly<Record<string, SQLQueryBindings>>) =>
			names.map((name) => {
				const value = values[name];
				if (value === undefined) throw new TypeError(`no value for ${name}`);
				return value;
			});
		return {
			get(values) {
				const row = statement.get(...bindings(values));
				if (row === null) return undefined;
				for (const [name, column] of encoded) {
					const value = row[name];
					if (value !== null) row[name] = column.mapFromDriverValue(value);
				}
				return row as Row<F>;
			},
			run(values) {
				statement.run(...bindings(values));
			},
		};
	});
}

/** Fields under their own names, so that SQLite gives rows as they are to be. */
function namedAsThemselves<F extends Fields>(fields: F): Named<F> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, field]) => [
			name,
			sql`${field}`.as(name),
		]),
	) as Named<F>;
}

/** Whether values of a field are stored as something else. */
function isEncoded(
	field: [string, SQLiteColumn | SQL],
): field is [string, SQLiteColumn] {
	return (
		is(field[1], Column) &&
		field[1].mapFromDriverValue !== Column.prototype.mapFromDriverValue
	);
}

/** @throws TypeError for a parameter that is none */
function placeholderOf(parameter: unknown): string {
	const value = is(parameter, Param) ? parameter.value : parameter;
	if (!is(value, Placeholder)) throw new TypeError("not a placeholder");
	return value.name;
}

/**
 * What is made once for each store, at its first use.
 * @param make makes it
 */
export function onceEach<T extends object>(
	make: (store: Store) => T,
): (store: Store) => T {
	const made = new WeakMap<Store, T>();
	return (store) => {
		let one = made.get(store);
		if (one === undefined) {
			one = make(store);
			made.set(store, one);
		}
		return one;
	};
}
