import type { Database } from "bun:sqlite";
import { existsSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../lib/start-error.ts";
import { readDefinitions, readMigrations } from "./build-schema.ts" with {
	type: "macro",
};
import {
	createFile,
	fileError,
	PRIVATE,
	removeUnfinished,
	sync,
} from "./database-file.ts";
import { countOrphans, schemaVersion } from "./integrity-checks.ts";
import { readCell } from "./open-database.ts";

/** The SQL statements of each schema version, oldest first: the first n create version n. */
export const migrations: readonly (readonly string[])[] = readMigrations();

/** The migration that rewrites the file: versions before it did not overwrite what they deleted. */
const VACUUM = "VACUUM";

/** The statements that create the newest schema. */
const definitions: string = readDefinitions();

/** A database that was migrated. */
export interface Migration {
	readonly from: number;
	readonly to: number;
	/** The path of the copy from before. */
	readonly copy: string;
}

/**
 * Migrates a database to the newest schema, each version in its own transaction, a new database in one. A database
 * with content is copied to `<file>.v<version>.bak` first, or to `<file>.v<version>-2.bak` and so on if that exists.
 * @param file its path; null for one in memory
 * @param steps the migrations to apply; this program's by default
 * @returns null if the schema was the newest one, or the database was new or in memory
 * @throws StartError if a newer program wrote the database, or there is no room for the copy; it is left as it was
 */
export function migrate(
	sqlite: Database,
	file: string | null,
	steps?: readonly (readonly string[])[],
): Migration | null {
	const all = steps ?? migrations;
	const version = schemaVersion(sqlite);
	if (version === all.length) return null;
	if (version > all.length) throw newerDatabase(file ?? "", version);
	const copy =
		version > 0 && file !== null ? keepCopy(sqlite, file, version) : null;
	// A step that rebuilds a table must be able to drop it. Each step checks the references at its end.
	sqlite.run("PRAGMA foreign_keys = OFF");
	if (version === 0) {
		const statements = steps === undefined ? [definitions] : all.flat();
		applyStep(sqlite, statements, all.length);
	} else {
		for (const [step, statements] of all.entries()) {
			if (step >= version) applyStep(sqlite, statements, step + 1);
		}
	}
	sqlite.run("PRAGMA foreign_keys = ON");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	return copy === null ? null : { from: version, to: all.length, copy };
}

/** The error for a database of a newer schema. */
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
	// It cannot run in a transaction. If the step fails afterwards, the next start runs it again.
	if (statements.includes(VACUUM)) vacuum(sqlite);
	sqlite
		.transaction(() => {
			for (const statement of statements) {
				if (statement !== VACUUM) sqlite.run(statement);
			}
			const orphans = countOrphans(sqlite);
			if (orphans > 0) {
				throw new Error(`schema ${version} would leave ${orphans} orphans`);
			}
			sqlite.run(`PRAGMA user_version = ${version}`);
		})
		.immediate();
}

function vacuum(sqlite: Database): void {
	// In memory its temporary copy would take as much as the whole database.
	sqlite.run("PRAGMA temp_store = FILE");
	sqlite.run(VACUUM);
	sqlite.run("PRAGMA temp_store = MEMORY");
}

/** Copies a database, under another name until the copy is complete. Returns its path. */
function keepCopy(sqlite: Database, file: string, version: number): string {
	const stem = `${file}.v${version}`;
	let copy = `${stem}.bak`;
	// An existing copy is never overwritten: it may be the last one.
	for (let next = 2; existsSync(copy); next++) copy = `${stem}-${next}.bak`;
	const unfinished = `${stem}.bak.tmp`;
	const bytes =
		Number(readCell(sqlite, "PRAGMA page_count")) *
		Number(readCell(sqlite, "PRAGMA page_size"));
	try {
		removeUnfinished(unfinished);
		createFile(unfinished, PRIVATE, statSync(file));
		sqlite.run("VACUUM INTO ?", [unfinished]);
		sync(unfinished);
		renameSync(unfinished, copy);
		sync(dirname(copy));
		return copy;
	} catch (error) {
		removeUnfinished(unfinished);
		const size = Math.ceil(bytes / 1024 / 1024);
		throw fileError(
			`database ${file} is of schema ${version} and is copied before it is migrated, which takes up to ${size} MiB beside it; cannot write ${copy}`,
			error,
			copy,
		);
	}
}
