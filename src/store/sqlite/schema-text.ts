import type { Database } from "bun:sqlite";
import { readCell } from "./open-database.ts";

/** A row of `sqlite_schema` (https://www.sqlite.org/schematab.html) without its page number. */
export type SchemaRow = readonly [
	type: string,
	name: string,
	table: string,
	/** Null for an index that SQLite created itself. */
	sql: string | null,
];

/**
 * The tables that SQLite creates for AUTOINCREMENT and ANALYZE. They are recognised by their definition, because
 * another object could have such a name.
 */
const internalTables = [
	"CREATE TABLE sqlite_sequence(name,seq)",
	"CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/**
 * Returns the tables, indexes, triggers and views of a database as JSON of {@link SchemaRow}s, without SQLite's
 * internal tables. Equal schemas give equal texts. Indexes come last, because a missing table matters more.
 * @throws SQLiteError if the file is damaged
 */
export function schemaText(sqlite: Database): string {
	const text = readCell(
		sqlite,
		`SELECT json_group_array(json_array(type, name, tbl_name, sql)) FROM (
			SELECT type, name, tbl_name, sql FROM sqlite_schema
			WHERE NOT (type = 'table' AND ifnull(sql IN ('${internalTables.join("', '")}'), 0))
			ORDER BY type DESC, name
		)`,
	);
	return String(text);
}
