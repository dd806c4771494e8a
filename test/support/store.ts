import type { Database, SQLQueryBindings } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { loadTables } from "../../src/cli/features.ts";
import type { SqliteStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import type { EngineRow, Store, Value } from "../../src/core/store/store.ts";
import type { Task } from "../../src/core/store/task.ts";

/** A store on a database server. */
export interface ServerStore extends Store {
	/** Runs a statement that bypasses the services. */
	query(text: string, parameters: readonly Value[]): Promise<EngineRow[]>;
}

/** A store whose connection to the server a test can interrupt. */
export interface LosableStore extends ServerStore {
	/** True if the database must not be used again after this store is closed. */
	isSpoilt: boolean;
	/** Ends all connections and refuses new ones. Resolves when the store has noticed the interruption. */
	cut(): Promise<void>;
	/** Accepts connections again. Resolves when the store answers again. */
	heal(): Promise<void>;
}

/** The store of a test, on the engine that the tests use. */
export type TestStore = SqliteStore | ServerStore;

/** Waits for pending writes, runs a statement that bypasses the services, and returns its rows. */
export async function rowsOf(store: TestStore, text: string): Promise<EngineRow[]> {
	await store.write(rule(() => {}));
	return "sqlite" in store ? store.sqlite.query<EngineRow, []>(text).all() : store.query(text, []);
}

/** Returns the names of all tables, including internal tables of the engine. */
export async function tablesOf(store: TestStore): Promise<string[]> {
	const rows = await rowsOf(
		store,
		"sqlite" in store
			? "select name from sqlite_schema where type = 'table'"
			: "select table_name as name from information_schema.tables where table_schema = 'public'",
	);
	return rows.map(({ name }) => String(name));
}

/** Waits until all changes have been committed or refused. */
export async function drain(store: Pick<Store, "statistics">): Promise<void> {
	while (store.statistics.pending > 0) await Bun.sleep(1);
}

/** Wraps a function as a task, so that `read` or `write` of a store can run any code of a test. */
export function rule<T>(run: () => T): () => Task<T> {
	return function* () {
		return run();
	};
}

/** The tables of the core and of all features. */
export const tables = await loadTables();

/** Matches a step of a query plan that scans a whole table. */
export const SCAN = new RegExp(`^SCAN (${tables.map(getTableName).join("|")})\\b`);

/** Returns a list that grows: the SQL of each statement is added to it when the statement is prepared. */
export function notePrepared(sqlite: Database): string[] {
	const noted: string[] = [];
	const prepare = sqlite.prepare.bind(sqlite);
	sqlite.prepare = ((query: string, params?: SQLQueryBindings) => {
		noted.push(query);
		return prepare(query, params);
	}) as typeof sqlite.prepare;
	return noted;
}

/** Returns the steps of SQLite's plan for a query with unbound parameters. */
export function planOf(sqlite: Database, query: string): string[] {
	const explain = sqlite.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query}`);
	const steps = explain.all().map(({ detail }) => detail);
	explain.finalize();
	return steps;
}
