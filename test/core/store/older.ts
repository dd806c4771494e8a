import { Database } from "bun:sqlite";
import { APPLICATION_ID } from "../../../src/core/store/sqlite/database-file.ts";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";

/** Creates an empty database with the schema of a version. */
export function makeDatabaseOf(version: number, file: string): void {
	const sqlite = new Database(file);
	sqlite.run(`PRAGMA application_id = ${APPLICATION_ID}`);
	for (const statement of migrations.slice(0, version).flat()) {
		sqlite.run(statement);
	}
	sqlite.run(`PRAGMA user_version = ${version}`);
	sqlite.close(true);
}
