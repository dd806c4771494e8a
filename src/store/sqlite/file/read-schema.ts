import { Database } from "bun:sqlite";
import { readMigrations } from "./read-migrations.ts";
import { schemaText } from "./schema-text.ts";

/**
 * The schema that all migrations together make, as {@link schemaText} writes it.
 * A Bun macro: it runs when the program is built, so that a start need not migrate a second database to compare.
 */
export function readSchema(): string {
	const sqlite = new Database(":memory:");
	try {
		sqlite.run(readMigrations().flat().join(";\n"));
		return schemaText(sqlite);
	} finally {
		sqlite.close();
	}
}
