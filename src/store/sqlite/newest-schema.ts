import { Database } from "bun:sqlite";
import { readMigrations } from "../read-migrations.ts";
import { readSchema, type SchemaObject } from "./read-schema.ts";

/**
 * Returns the schema that all migrations together create. This function is a Bun macro: it runs at build
 * time, and the executable contains its result, because running all migrations takes several milliseconds.
 */
export function newestSchema(): SchemaObject[] {
	using sqlite = new Database(":memory:");
	for (const text of readMigrations("migrations")) sqlite.run(text);
	return readSchema(sqlite);
}
