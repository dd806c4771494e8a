/** Bun macros: they run when the program is built, so that the executable contains the SQL of the schema. */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { type SchemaRow, schemaText } from "./schema-text.ts";

/** Returns the statements of every migration in `migrations/`, oldest first. */
export function readMigrations(): string[][] {
	const migrationsFolder = join(import.meta.dir, "../../../migrations");
	return readMigrationFiles({ migrationsFolder }).map(({ sql }) => sql);
}

/** Returns the schema after all migrations as {@link schemaText}, so that a start need not migrate to compare. */
export function readSchema(): string {
	const sqlite = new Database(":memory:");
	try {
		sqlite.run(readMigrations().flat().join(";\n"));
		return schemaText(sqlite);
	} finally {
		sqlite.close();
	}
}

/** Returns the statements that create this schema in an empty database. To run the migrations takes four times as long. */
export function readDefinitions(): string {
	const rows: SchemaRow[] = JSON.parse(readSchema());
	return rows.flatMap(([, , , sql]) => sql ?? []).join(";\n");
}
