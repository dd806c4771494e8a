import type { Database } from "bun:sqlite";
import { readCell } from "./read.ts";

/** A row of `sqlite_schema` (https://www.sqlite.org/schematab.html) without the number of its page. */
export type SchemaRow = readonly [
	type: string,
	name: string,
	table: string,
	/** Null for an index that SQLite made by itself. */
	sql: string | null,
];

/**
 * The tables that SQLite makes for itself, for AUTOINCREMENT and ANALYZE. They are recognised by the text of their
 * definition, because an object of another kind could have been given such a name.
 */
const ofSqlite = [
	"CREATE TABLE sqlite_sequence(name,seq)",
	"CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/**
 * The tables, indexes, triggers and views of a database as one text, the JSON of {@link SchemaRow}s: databases of
 * the same schema give the same text. The tables that SQLite makes for itself are left out. Indexes come last,
 * because a missing table matters more. SQLite itself writes the text, which takes a start 0.2 ms instead of 0.5 ms.
 * @throws SQLiteError when the file is damaged
 */
export function schemaText(sqlite: Database): string {
	const text = readCell(
		sqlite,
		`SELECT json_group_array(json_array(type, name, tbl_name, sql)) FROM (
			SELECT type, name, tbl_name, sql FROM sqlite_schema
			WHERE NOT (type = 'table' AND ifnull(sql IN ('${ofSqlite.join("', '")}'), 0))
			ORDER BY type DESC, name
		)`,
	);
	return String(text);
}
