import type { Database } from "bun:sqlite";
import { renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../errors.ts";
import { schemaVersion } from "./checks.ts";
import { sync } from "./file.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };

/** SQL statements of each schema version, oldest first: version n is reached by the first n of them. */
export const migrations: readonly (readonly string[])[] = readMigrations();

/**
 * Brings a database to the newest schema, each version in a transaction of its own.
 * An existing database is copied to `<file>.v<version>.bak` first, over an earlier copy of that version.
 * @param file its path; null for one in memory
 * @param steps the migrations to apply
 * @throws StartError when a newer program wrote the database; it is left as it was
 */
export function migrate(
	sqlite: Database,
	file: string | null,
	steps: readonly (readonly string[])[] = migrations,
): void {
	const version = schemaVersion(sqlite);
	if (version === steps.length) return;
	if (version > steps.length) throw newerDatabase(file ?? "", version);
	if (version > 0 && file !== null) keepCopy(sqlite, file, version);
	// A step that rebuilds a table must be able to drop it; the check below makes up for it.
	sqlite.run("PRAGMA foreign_keys = OFF");
	for (const [step, statements] of steps.entries()) {
		if (step >= version) applyStep(sqlite, statements, step + 1);
	}
	sqlite.run("PRAGMA foreign_keys = ON");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Why a database of a newer schema is refused. */
export function newerDatabase(file: string, version: number): StartError {
	return new StartError(
		`database ${file} was written by a newer version of resort (its schema is ${version}, this program knows ${migrations.length}); start that version, or restore a copy`,
		1,
	);
}

function applyStep(
	sqlite: Database,
	statements: readonly string[],
	version: number,
): void {
	sqlite
		.transaction(() => {
			for (const statement of statements) sqlite.run(statement);
			const broken = sqlite.query("PRAGMA foreign_key_check").all();
			if (broken.length > 0) {
				throw new Error(
					`schema ${version} would leave ${broken.length} orphans`,
				);
			}
			sqlite.run(`PRAGMA user_version = ${version}`);
		})
		.immediate();
}

/** Writes the copy beside its place first, so that under its name there is never half of one. */
function keepCopy(sqlite: Database, file: string, version: number): void {
	const copy = `${file}.v${version}.bak`;
	const unfinished = `${copy}.tmp`;
	rmSync(unfinished, { force: true });
	sqlite.run("VACUUM INTO ?", [unfinished]);
	sync(unfinished);
	renameSync(unfinished, copy);
	sync(dirname(copy));
}
