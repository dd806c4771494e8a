import type { Database } from "bun:sqlite";
import { existsSync, rmSync, statSync } from "node:fs";
import { StartError } from "../../lib/start-error.ts";
import { readMigrations } from "../read-migrations.ts" with { type: "macro" };
import { fileError } from "./database-file.ts";
import { findOrphans, schemaVersion } from "./open-database.ts";
import { PRIVATE, UnfinishedFile } from "./unfinished-file.ts";

/** The SQL statements of the schema versions, oldest first. The first n elements create version n. */
export const migrations: readonly (readonly string[])[] = readMigrations("migrations").map((text) =>
	text.split("--> statement-breakpoint"),
);

/**
 * Since this schema version, deleted data is overwritten. A file of an older version may still contain
 * deleted data, so its migration rewrites the whole file.
 */
const OVERWRITING_VERSION = 9;

/** The result of a migration. */
export interface Migration {
	readonly from: number;
	readonly to: number;
	/** The path of the copy that was made before the migration. */
	readonly copy: string;
}

/**
 * Migrates a database to the newest schema in one transaction. If the database has content, it is copied
 * first to `<file>.v<version>.bak` or, if that file exists, to `<file>.v<version>-2.bak` and so on.
 * @param file null for a database in memory or a new file without content
 * @param steps the statements of each version
 * @returns the migration; null if the schema was already the newest one, or no copy was made
 * @throws StartError if a newer program wrote the database, or the copy cannot be written; the database is
 * then unchanged
 */
export function migrate(sqlite: Database, file: string | null, steps = migrations): Migration | null {
	const version = schemaVersion(sqlite);
	if (version === steps.length) return null;
	if (version > steps.length) throw newerDatabase(file ?? "", version);
	const copy = version > 0 && file !== null ? keepCopy(sqlite, file, version) : null;
	if (copy !== null && version < OVERWRITING_VERSION) {
		// VACUUM makes a temporary copy of the whole database. The copy is written to a file, because it may not
		// fit into memory.
		sqlite.run("PRAGMA temp_store = FILE");
		sqlite.run("VACUUM");
		sqlite.run("PRAGMA temp_store = MEMORY");
	}
	// Foreign keys are not enforced during the migration, so that a step that rebuilds a table can drop the old
	// table.
	sqlite.run("PRAGMA foreign_keys = OFF");
	sqlite
		.transaction(() => {
			const statements = steps.slice(version).flat();
			for (const statement of statements) sqlite.run(statement);
			const orphans = findOrphans(sqlite);
			if (orphans !== null) throw new Error(`it would leave orphans: ${orphans}`);
			sqlite.run(`PRAGMA user_version = ${steps.length}`);
		})
		.immediate();
	sqlite.run("PRAGMA foreign_keys = ON");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	return copy === null ? null : { from: version, to: steps.length, copy };
}

/** Creates the error for a database with a newer schema. */
export function newerDatabase(file: string, version: number): StartError {
	return new StartError(
		`database ${file} was written by a newer version of resort (its schema is ${version}, this program uses ${migrations.length}); start that version, or restore a copy`,
	);
}

/** Copies a database to a file, which gets its final name when it is complete. Returns the final path. */
function keepCopy(sqlite: Database, file: string, version: number): string {
	const stem = `${file}.v${version}`;
	let copy = `${stem}.bak`;
	// Never overwrites an existing file, because it may be the only copy of the data in it.
	for (let next = 2; existsSync(copy); next++) copy = `${stem}-${next}.bak`;
	try {
		// The temporary name is always the same. Otherwise, each start that is killed while copying would leave a
		// copy on the disk.
		const temporary = `${stem}.bak.tmp`;
		rmSync(temporary, { force: true });
		using unfinished = new UnfinishedFile(temporary, PRIVATE, statSync(file));
		sqlite.run("VACUUM INTO ?", [unfinished.path]);
		unfinished.rename(copy);
		return copy;
	} catch (error) {
		throw fileError(
			`database ${file} has schema ${version} and must be copied before its migration; cannot write ${copy}`,
			error,
			copy,
		);
	}
}
