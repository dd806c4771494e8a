import type { Database } from "bun:sqlite";
import { existsSync, rmSync, statSync } from "node:fs";
import { StartError } from "../../lib/start-error.ts";
import { readMigrations } from "../read-migrations.ts" with { type: "macro" };
import { fileError } from "./database-file.ts";
import { findOrphans, schemaVersion } from "./open-database.ts";
import { PRIVATE, UnfinishedFile } from "./unfinished-file.ts";

/** The SQL statements of each schema version, oldest first: the first n elements create version n. */
export const migrations: readonly (readonly string[])[] = readMigrations(
	"migrations",
).map((text) => text.split("--> statement-breakpoint"));

/** The first schema version whose programs overwrite what they delete. Files of earlier versions are rewritten. */
const OVERWRITING_VERSION = 9;

/** A database that was migrated. */
export interface Migration {
	readonly from: number;
	readonly to: number;
	/** The path of the copy from before the migration. */
	readonly copy: string;
}

/**
 * Migrates a database to the newest schema in one transaction. A database with content is copied first, to
 * `<file>.v<version>.bak`, or to `<file>.v<version>-2.bak` and so on if that exists.
 * @param file its path; null for one in memory
 * @param steps the statements of each version
 * @returns null if the schema was the newest one, or the database was new or in memory
 * @throws StartError if a newer program wrote the database, or there is no room for the copy; then it stays unchanged
 */
export function migrate(
	sqlite: Database,
	file: string | null,
	steps = migrations,
): Migration | null {
	const version = schemaVersion(sqlite);
	if (version === steps.length) return null;
	if (version > steps.length) throw newerDatabase(file ?? "", version);
	const copy =
		version > 0 && file !== null ? keepCopy(sqlite, file, version) : null;
	if (copy !== null && version < OVERWRITING_VERSION) {
		// In memory, the temporary copy of VACUUM would take as much as the whole database.
		sqlite.run("PRAGMA temp_store = FILE");
		sqlite.run("VACUUM");
		sqlite.run("PRAGMA temp_store = MEMORY");
	}
	// Off, so that a step that rebuilds a table can drop the old one.
	sqlite.run("PRAGMA foreign_keys = OFF");
	sqlite
		.transaction(() => {
			const statements = steps.slice(version).flat();
			for (const statement of statements) sqlite.run(statement);
			const orphans = findOrphans(sqlite);
			if (orphans !== null)
				throw new Error(`it would leave orphans: ${orphans}`);
			sqlite.run(`PRAGMA user_version = ${steps.length}`);
		})
		.immediate();
	sqlite.run("PRAGMA foreign_keys = ON");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	return copy === null ? null : { from: version, to: steps.length, copy };
}

/** Returns the error for a database of a newer schema. */
export function newerDatabase(file: string, version: number): StartError {
	return new StartError(
		`database ${file} was written by a newer version of resort (its schema is ${version}, this program knows ${migrations.length}); start that version, or restore a copy`,
	);
}

/** Copies a database, under another name until the copy is complete. Returns its path. */
function keepCopy(sqlite: Database, file: string, version: number): string {
	const stem = `${file}.v${version}`;
	let copy = `${stem}.bak`;
	// An existing copy is never overwritten: it may be the last one.
	for (let next = 2; existsSync(copy); next++) copy = `${stem}-${next}.bak`;
	try {
		// Always the same name, so that starts that are killed again and again do not fill the disk.
		const temporary = `${stem}.bak.tmp`;
		rmSync(temporary, { force: true });
		using unfinished = new UnfinishedFile(temporary, PRIVATE, statSync(file));
		sqlite.run("VACUUM INTO ?", [unfinished.path]);
		unfinished.rename(copy);
		return copy;
	} catch (error) {
		throw fileError(
			`database ${file} is of schema ${version} and is copied before it is migrated; cannot write ${copy}`,
			error,
			copy,
		);
	}
}
