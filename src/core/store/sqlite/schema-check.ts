import { Database } from "bun:sqlite";
import { schemaVersion } from "./open-database.ts";
import { newestSchema } from "./read-schema.ts" with { type: "macro" };
import { readSchema, type SchemaObject } from "./read-schema.ts";
import { migrate, migrations } from "./sqlite-migrations.ts";

/** The newest schema, as SQLite stored it when the program was built. */
const newest: readonly SchemaObject[] = newestSchema();

/** The maximum number of differences in a message. */
const MAX_LISTED = 3;

/**
 * Compares the schema of a database with the schema that the migrations create for its version.
 * @param sqlite an open database of a known version
 * @returns the differences on one line; null if there are none
 * @throws SQLiteError if the file is damaged
 */
export function schemaFault(sqlite: Database): string | null {
	const version = schemaVersion(sqlite);
	if (version < 0) return `no version of resort has schema ${version}`;
	const own = readSchema(sqlite);
	// Nearly every start returns here, without creating another schema in memory for the comparison.
	if (version === migrations.length && Bun.deepEquals(own, newest)) return null;
	const missing = new Map(schemaOfVersion(version).map(({ name, definition }) => [name, definition]));
	const differences: string[] = [];
	for (const { name, definition } of own) {
		const expected = missing.get(name);
		if (expected === undefined) differences.push(`${name} is unexpected`);
		else if (expected !== definition) differences.push(`${name} has changed`);
		missing.delete(name);
	}
	for (const name of missing.keys()) differences.push(`${name} is missing`);
	if (differences.length === 0) return null;
	const more = differences.splice(MAX_LISTED).length;
	if (more > 0) differences.push(`and ${more} more`);
	return differences.join(", ");
}

/**
 * Returns the schema that belongs to a schema version. Creates it in memory, because the definitions that
 * SQLite stores after ALTER TABLE depend on the version of SQLite.
 */
function schemaOfVersion(version: number): SchemaObject[] {
	using sqlite = new Database(":memory:");
	migrate(sqlite, null, migrations.slice(0, version));
	return readSchema(sqlite);
}
