import type { SQLQueryBindings } from "bun:sqlite";
import {
	type GetColumnData,
	is,
	Param,
	Placeholder,
	type Query,
	SQL,
} from "drizzle-orm";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { type Connection, openConnection } from "./connection.ts";

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
 * @param fields what rows hold, in the order in which the statement tells it; `{}` for none
 * @param build makes the query, all of whose parameters are placeholders
 */
export function direct<F extends Fields>(
	fields: F,
	build: (db: Db, fields: F) => { toSQL(): Query },
): (store: Store) => Direct<F> {
	return onceEach(({ db, sqlite }) => {
		const { sql, params } = build(db, fields).toSQL();
		const statement = sqlite.prepare(sql);
		const names = params.map(placeholderOf);
		const cells = Object.entries(fields).map(([name, field], at) => {
			const decode = is(field, SQL)
				? (value: unknown) => value
				: (value: unknown) => field.mapFromDriverValue(value);
			return { name, at, decode };
		});
		const bindings = (values: Readonly<Record<string, SQLQueryBindings>>) =>
			names.map((name) => {
				const value = values[name];
				if (value === undefined) throw new TypeError(`no value for ${name}`);
				return value;
			});
		return {
			get(values) {
				const [found] = statement.values(...bindings(values));
				if (found === undefined) return undefined;
				const row: Record<string, unknown> = {};
				for (const { name, at, decode } of cells) {
					const value = found[at] ?? null;
					row[name] = value === null ? null : decode(value);
				}
				return row as Row<F>;
			},
			run(values) {
				statement.run(...bindings(values));
			},
		};
	});
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
