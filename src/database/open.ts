import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
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
	const built = new WeakMap<Store, Q>();
	return (store) => {
		let query = built.get(store);
		if (query === undefined) {
			query = build(store.db);
			built.set(store, query);
		}
		return query;
	};
}
