import { Database } from "bun:sqlite";
import { readMigrations } from "../read-migrations.ts";
import { readRows } from "./open-database.ts";
import { readSchema, type SchemaObject } from "./read-schema.ts";

/** The schema that all migrations together create. */
export interface NewestSchema {
	/** The SQL statements that create it in an empty database. */
	readonly statements: readonly string[];
	/** What {@link readSchema} returns for it. */
	readonly objects: readonly SchemaObject[];
}

/**
 * Returns the newest schema. This function is a Bun macro: it runs at build time, and the executable contains its
 * result, because running all migrations takes several milliseconds of each start.
 */
export function newestSchema(): NewestSchema {
	using sqlite = new Database(":memory:");
	for (const text of readMigrations("migrations")) sqlite.run(text);
	// The indexes of constraints have no SQL, and SQLite creates the tables with its prefix itself.
	const statements = readRows<{ sql: string }>(
		sqlite,
		"SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
	).map(({ sql }) => sql);
	return { statements, objects: readSchema(sqlite) };
}
