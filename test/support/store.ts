import type { Database, SQLQueryBindings } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { loadTables } from "../../src/cli/features.ts";
import type { SqliteStore } from "../../src/core/store/sqlite/sqlite-store.ts";
import type { EngineRow, Store, Value } from "../../src/core/store/store.ts";
import { immediate, type Task } from "../../src/core/store/task.ts";

/** A store on a database server. */
export interface ServerStore extends Store {
	/** Runs any statement, past the rules of the services. */
	query(text: string, parameters: readonly Value[]): Promise<EngineRow[]>;
}

/** A store on a server that a test can lose. */
export interface LosableStore extends ServerStore {
	/** Whether nobody may use the database after this store. */
	isSpoilt: boolean;
	/** Ends all connections and refuses new ones; returns when the store has lost them. */
	cut(): Promise<void>;
	/** Accepts connections again; returns when the store answers again. */
	heal(): Promise<void>;
}

/** A store of a test, on the engine on which the tests run. */
export type TestStore = SqliteStore | ServerStore;

/** Runs any statement of either engine, past the rules, once what is under way has been written; its rows. */
export async function rowsOf(store: TestStore, text: string): Promise<EngineRow[]> {
	await store.write(rule(() => {}));
	return "sqlite" in store ? store.sqlite.query<EngineRow, []>(text).all() : store.query(text, []);
}

/** The names of all tables, those of the engine's own bookkeeping too. */
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

/** The query builder on a store's own connection, past its changes. */
export function dbOf({ sqlite }: Pick<SqliteStore, "sqlite">) {
	return drizzle(sqlite, { casing: "snake_case" });
}

/** A rule of plain code, which asks its own connection. */
export function rule<T>(run: () => T): () => Task<T> {
	return function* () {
		return yield* immediate(run);
	};
}

/** All tables. */
export const tables = await loadTables();

/** A step of a plan that reads a whole table. */
export const SCAN = new RegExp(`^SCAN (${tables.map(getTableName).join("|")})\\b`);

/** Notes the SQL of every statement that is prepared from now on. */
export function notePrepared(sqlite: Database): string[] {
	const noted: string[] = [];
	const prepare = sqlite.prepare.bind(sqlite);
	sqlite.prepare = ((query: string, params?: SQLQueryBindings) => {
		noted.push(query);
		return prepare(query, params);
	}) as typeof sqlite.prepare;
	return noted;
}

/** The steps of SQLite's plan for a query, its parameters unbound. */
export function planOf(sqlite: Database, query: string): string[] {
	const explain = sqlite.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${query}`);
	const steps = explain.all().map(({ detail }) => detail);
	explain.finalize();
	return steps;
}
