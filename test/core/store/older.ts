import { Database } from "bun:sqlite";
import { APPLICATION_ID } from "../../../src/core/store/sqlite/database-file.ts";
import { migrations } from "../../../src/core/store/sqlite/sqlite-migrations.ts";

/** Runs statements on a database, which is created if it does not exist. */
export function change(file: string, ...statements: string[]): void {
	const sqlite = new Database(file);
	for (const statement of statements) sqlite.run(statement);
	sqlite.close(true);
}

/** Creates an empty database with the schema of a version. */
export function makeDatabaseOf(version: number, file: string): void {
	change(
		file,
		`PRAGMA application_id = ${APPLICATION_ID}`,
		...migrations.slice(0, version).flat(),
		`PRAGMA user_version = ${version}`,
	);
}
