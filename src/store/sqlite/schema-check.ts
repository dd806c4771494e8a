import { Database } from "bun:sqlite";
import { readRows, schemaVersion } from "./open-database.ts";
import { migrate, migrations } from "./sqlite-migrations.ts";

/** The maximum number of differences in a message. */
const MAX_LISTED = 3;

/**
 * The tables that SQLite creates for AUTOINCREMENT and ANALYZE. They are recognised by their definitions, because a
 * table with another definition could have the same name.
 */
const internalTables = [
	"CREATE TABLE sqlite_sequence(name,seq)",
	"CREATE TABLE sqlite_stat1(tbl,idx,stat)",
	"CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/**
 * A row of `sqlite_schema` (https://www.sqlite.org/schematab.html) without its page number. `name` begins with the
 * type, for example `table "agents"`.
 */
interface SchemaObject {
	readonly name: string;
	readonly definition: string;
}

/**
 * Compares the tables, indexes, triggers and views of a database with those that the migrations create for its version.
 * @param sqlite an open database of a known version
 * @returns the differences on one line; null if there are none
 * @throws SQLiteError if the file is damaged
 */
export function schemaFault(sqlite: Database): string | null {
	const version = schemaVersion(sqlite);
	if (version < 0) return `no version of resort has schema ${version}`;
	const missing = new Map(
		schemaOfVersion(version).map(({ name, definition }) => [name, definition]),
	);
	const differences: string[] = [];
	for (const { name, definition } of readSchema(sqlite)) {
		const own = missing.get(name);
		if (own === undefined) differences.push(`${name} is foreign`);
		else if (own !== definition) differences.push(`${name} is changed`);
		missing.delete(name);
	}
	for (const name of missing.keys()) differences.push(`${name} is missing`);
	if (differences.length === 0) return null;
	const more = differences.splice(MAX_LISTED).length;
	if (more > 0) differences.push(`and ${more} more`);
	return differences.join(", ");
}

/**
 * Returns the schema of a version. Creates the schema in memory and reads it, because the definitions that SQLite
 * stores after ALTER TABLE depend on the version of SQLite.
 */
function schemaOfVersion(version: number): SchemaObject[] {
	using sqlite = new Database(":memory:");
	migrate(sqlite, null, migrations.slice(0, version));
	return readSchema(sqlite);
}

/**
 * Returns the schema without SQLite's internal tables. Indexes come last, because a message lists only the first
 * differences and missing tables are more important.
 */
export function readSchema(sqlite: Database): SchemaObject[] {
	return readRows<SchemaObject>(
		sqlite,
		`SELECT type || ' ' || json_quote(name) AS name, json_array(tbl_name, sql) AS definition FROM sqlite_schema
		WHERE NOT (type = 'table' AND ifnull(sql IN ('${internalTables.join("', '")}'), 0))
		ORDER BY type DESC, sqlite_schema.name`,
	);
}
