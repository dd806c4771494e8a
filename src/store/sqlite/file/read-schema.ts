import { Database } from "bun:sqlite";
import { readMigrations } from "./read-migrations.ts";
import { type SchemaRow, schemaText } from "./schema-text.ts";

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

/**
 * The statements that make this schema in an empty database, in one text: to alter tables step by step takes four
 * times as long.
 * A Bun macro.
 */
export function readDefinitions(): string {
	const rows: SchemaRow[] = JSON.parse(readSchema());
	return rows.flatMap(([, , , sql]) => sql ?? []).join(";\n");
}
