import type { Database, SQLQueryBindings } from "bun:sqlite";
import { getTableName } from "drizzle-orm";
import { tables as all } from "./tables.ts";

const tables = all.map(getTableName).join("|");

/** A step of a plan that reads a whole table. */
export const SCAN = new RegExp(`^SCAN (${tables})\\b`);

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
