import type { Database } from "bun:sqlite";
import { existsSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartError } from "../../../lib/start-error.ts";
import { countOrphans, schemaVersion } from "./checks.ts";
import {
	becauseOfFile,
	makeFile,
	PRIVATE,
	removeUnfinished,
	sync,
} from "./file.ts";
import { readCell } from "./read.ts";
import { readMigrations } from "./read-migrations.ts" with { type: "macro" };
import { readDefinitions } from "./read-schema.ts" with { type: "macro" };

/** SQL statements of each schema version, oldest first: version n is reached by the first n of them. */
export const migrations: readonly (readonly string[])[] = readMigrations();

/** The migration that rewrites the file: versions before it did not overwrite what they deleted. */
const VACUUM = "VACUUM";

/** What makes all of the newest schema at once. */
const definitions: string = readDefinitions();

/** A database that was brought to a newer schema. */
export interface Migration {
	readonly from: number;
	readonly to: number;
	/** Where the database before it is kept. */
	readonly copy: string;
}

/**
 * Brings a database to the newest schema, each version in a transaction of its own; a new, empty one in a single
 * transaction. An existing database is copied first, for its owner alone, to `<file>.v<version>.bak`, or to
 * `<file>.v<version>-2.bak` and so on when that name is taken.
 * @param file its path; null for one in memory
 * @param steps the migrations to apply; this program's when left out
 * @returns null when the schema was the newest one, or the database was new or in memory
 * @throws StartError when a newer program wrote the database, or there is no room for the copy; it is left as it was
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
	// A step that rebuilds a table must be able to drop it; each step checks the references at its end.
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
	// It cannot run inside a transaction. When it fails, the version stays, and the next start runs it again.
	if (statements.includes(VACUUM)) vacuum(sqlite);
	const others = statements.filter((statement) => statement !== VACUUM);
	sqlite
		.transaction(() => {
			for (const statement of others) sqlite.run(statement);
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

/**
 * Writes the copy beside its place first, so that under its name there is never half of one.
 * @returns its path
 */
function keepCopy(sqlite: Database, file: string, version: number): string {
	const copy = freeName(`${file}.v${version}`);
	const unfinished = `${file}.v${version}.bak.tmp`;
	const bytes = sizeOf(sqlite);
	try {
		removeUnfinished(unfinished);
		makeFile(unfinished, PRIVATE, statSync(file));
		sqlite.run("VACUUM INTO ?", [unfinished]);
		sync(unfinished);
		renameSync(unfinished, copy);
		sync(dirname(copy));
		return copy;
	} catch (error) {
		removeUnfinished(unfinished);
		throw becauseOfFile(
			`database ${file} is of schema ${version} and is copied before it is migrated, which takes up to ${mebibytes(bytes)} beside it; cannot write ${copy}`,
			error,
			copy,
		);
	}
}

/** A copy that is there is never overwritten: it may be all that is left of something. */
function freeName(stem: string): string {
	let name = `${stem}.bak`;
	for (let next = 2; existsSync(name); next++) name = `${stem}-${next}.bak`;
	return name;
}

/** How large a database is, its write-ahead log included, in bytes. */
function sizeOf(sqlite: Database): number {
	const pages = Number(readCell(sqlite, "PRAGMA page_count"));
	return pages * Number(readCell(sqlite, "PRAGMA page_size"));
}

function mebibytes(bytes: number): string {
	return `${Math.ceil(bytes / 1024 / 1024)} MiB`;
}
