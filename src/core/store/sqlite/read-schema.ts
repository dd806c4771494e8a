import { Database } from "bun:sqlite";
import { readMigrations } from "../read-migrations.ts";
import { readRows } from "./open-database.ts";

/** SQLite's tables for AUTOINCREMENT and ANALYZE. Only a table with exactly such a definition is ignored. */
const internalTables = [
	"CREATE TABLE sqlite_sequence(name,seq)",
	"CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/**
 * A row of `sqlite_schema` (https://www.sqlite.org/schematab.html) without its page number. `name` begins
 * with the type, for example `table "agents"`.
 */
export interface SchemaObject {
	readonly name: string;
	readonly definition: string;
}

/**
 * Returns the schema without SQLite's internal tables. Indexes come last: a message lists only the first
 * differences, and a missing table is more important than a missing index.
 */
export function readSchema(sqlite: Database): SchemaObject[] {
	return readRows<SchemaObject>(
		sqlite,
		`SELECT type || ' ' || json_quote(name) AS name, json_array(tbl_name, sql) AS definition FROM sqlite_schema
		WHERE NOT (type = 'table' AND ifnull(sql IN ('${internalTables.join("', '")}'), 0))
		ORDER BY type DESC, sqlite_schema.name`,
	);
}

/**
 * Returns the schema that all migrations together create. This Bun macro runs at build time, because running
 * all migrations takes several milliseconds.
 */
export function newestSchema(): SchemaObject[] {
	using sqlite = new Database(":memory:");
	for (const text of readMigrations("migrations")) sqlite.run(text);
	return readSchema(sqlite);
}
