import type { Database, SQLQueryBindings } from "bun:sqlite";

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
	const explain = sqlite.prepare<{ detail: string }, []>(
		`EXPLAIN QUERY PLAN ${query}`,
	);
	const steps = explain.all().map(({ detail }) => detail);
	explain.finalize();
	return steps;
}
