/** Reads what is asked for once. A statement is finalized: an open one would keep its connection from closing. */
import type { Database, SQLQueryBindings } from "bun:sqlite";

/**
 * All rows of a query, by the names of their columns.
 * @throws SQLiteError
 */
export function readRows<T>(
	sqlite: Database,
	query: string,
	parameters: readonly SQLQueryBindings[] = [],
): T[] {
	const statement = sqlite.prepare<T, SQLQueryBindings[]>(query);
	try {
		return statement.all(...parameters);
	} finally {
		statement.finalize();
	}
}

/**
 * What stands in the first column of a query's first row; undefined when there is none.
 * @throws SQLiteError
 */
export function readCell(sqlite: Database, query: string): unknown {
	const statement = sqlite.prepare<unknown[], []>(query);
	try {
		return statement.values()[0]?.[0];
	} finally {
		statement.finalize();
	}
}
