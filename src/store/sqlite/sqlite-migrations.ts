import type { Database } from "bun:sqlite";
import { existsSync, rmSync, statSync } from "node:fs";
import { StartError } from "../../lib/start-error.ts";
import { readMigrations } from "../read-migrations.ts" with { type: "macro" };
import { fileError } from "./database-file.ts";
import { findOrphans, readCell, schemaVersion } from "./open-database.ts";
import { PRIVATE, UnfinishedFile } from "./unfinished-file.ts";

/** The SQL statements of each schema version, oldest first: the first n create version n. */
export const migrations: readonly (readonly string[])[] = readMigrations(
	"migrations",
).map((text) => text.split("--> statement-breakpoint"));

/** The migration that rewrites the file: versions before it did not overwrite what they deleted. */
const VACUUM = "VACUUM";

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
 * @param steps the statements of each version
 * @returns null if the schema was the newest one, or the database was new or in memory
 * @throws StartError if a newer program wrote the database, or there is no room for the copy; it is left as it was
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
	// A step that rebuilds a table must be able to drop it. Each step checks the references at its end.
	sqlite.run("PRAGMA foreign_keys = OFF");
	if (version === 0) {
		const statements = steps.flat().filter((text) => text !== VACUUM);
		applyStep(sqlite, statements, steps.length);
	} else {
		for (const [step, statements] of steps.entries()) {
			if (step >= version) applyStep(sqlite, statements, step + 1);
		}
	}
	sqlite.run("PRAGMA foreign_keys = ON");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	return copy === null ? null : { from: version, to: steps.length, copy };
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
			const orphans = findOrphans(sqlite);
			if (orphans !== null) {
				throw new Error(`schema ${version} would leave orphans: ${orphans}`);
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
	const bytes =
		Number(readCell(sqlite, "PRAGMA page_count")) *
		Number(readCell(sqlite, "PRAGMA page_size"));
	try {
		// One name, so that starts that are killed again and again do not fill the disk.
		const temporary = `${stem}.bak.tmp`;
		rmSync(temporary, { force: true });
		using unfinished = new UnfinishedFile(temporary, PRIVATE, statSync(file));
		sqlite.run("VACUUM INTO ?", [unfinished.path]);
		unfinished.rename(copy);
		return copy;
	} catch (error) {
		const size = Math.ceil(bytes / 1024 / 1024);
		throw fileError(
			`database ${file} is of schema ${version} and is copied before it is migrated, which takes up to ${size} MiB beside it; cannot write ${copy}`,
			error,
			copy,
		);
	}
}
