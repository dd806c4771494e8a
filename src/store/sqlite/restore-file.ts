import {
	chmodSync,
	copyFileSync,
	existsSync,
	linkSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import type { Restored } from "../engine.ts";
import { copyDatabase } from "./back-up-file.ts";
import {
	existingDatabase,
	realPath,
	requireSafeFolder,
	schemaInHeader,
} from "./database-file.ts";
import { lockFile } from "./database-lock.ts";
import {
	findDamage,
	findOrphans,
	isBusy,
	openDatabase,
	openReadOnly,
	schemaVersion,
	WRITABLE,
} from "./open-database.ts";
import { requireOwnSchema } from "./schema-check.ts";
import { migrations, newerDatabase } from "./sqlite-migrations.ts";
import {
	PRIVATE,
	sync,
	temporaryName,
	UnfinishedFile,
} from "./unfinished-file.ts";

/** How long to wait for a program that reads the database. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Replaces a database by a copy of a back-up, and keeps the replaced database beside it.
 * @param copy the back-up
 * @param database the database's file, whose folder exists
 * @param nowMs the time in the name of the kept database
 * @throws StartError if the back-up is not a sound database of a schema that this program knows, others may replace
 * it or the database, or another program has the database open; nothing is changed then
 */
export function restore(
	copy: string,
	database: string,
	nowMs: number,
): Restored {
	const from = existingDatabase(copy);
	// If the name is a link, others must not be able to replace that either.
	requireSafeFolder(dirname(copy));
	requireSound(from);
	const path = realPath(database);
	if (path === from) {
		throw new StartError(`${copy} is the database itself`, 1);
	}
	const lock = lockFile(path, "replace");
	try {
		const isNew = schemaInHeader(path) === null;
		const before = statSync(path, { throwIfNoEntry: false });
		using unfinished = new UnfinishedFile(
			temporaryName(path),
			before?.mode,
			before,
		);
		copyDatabase(from, unfinished);
		const kept = isNew ? null : keep(path, nowMs);
		// SQLite would apply an old log to the copy.
		for (const suffix of ["-wal", "-shm", "-journal"]) {
			rmSync(path + suffix, { force: true });
		}
		sync(dirname(path));
		unfinished.rename(path);
		if (kept !== null) makePrivate(kept);
		return { path, kept };
	} catch (error) {
		throw because(`cannot restore ${from} to ${path}`, error);
	} finally {
		lock.close();
	}
}

/**
 * @throws StartError if a file is newer than this program, damaged, of another schema than its version says, contains
 * rows without their parents, or others may replace it
 */
export function requireSound(file: string): void {
	try {
		requireSafeFolder(dirname(file));
		using sqlite = openReadOnly(file);
		const version = schemaVersion(sqlite);
		if (version > migrations.length) throw newerDatabase(file, version);
		requireUndamaged(file, findDamage(sqlite));
		if (version === 0) throw new StartError(`database ${file} is empty`, 1);
		requireOwnSchema(sqlite, file);
		requireUndamaged(file, findOrphans(sqlite));
	} catch (error) {
		throw because(`database ${file} cannot be read`, error);
	}
}

function requireUndamaged(file: string, damage: string | null): void {
	if (damage === null) return;
	throw new StartError(`database ${file} is damaged: ${damage}`, 1);
}

/** Gives a database a second name, under which it stays. */
function keep(file: string, nowMs: number): string {
	const time = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, "");
	const kept = `${file}.before-restore-${time}.bak`;
	mergeLog(file);
	try {
		linkSync(file, kept);
	} catch {
		// Not every file system has hard links.
		copyFileSync(file, kept);
		sync(kept);
	}
	// What could not be merged belongs to the kept database, and SQLite finds it there under these names.
	for (const suffix of ["-wal", "-journal"]) {
		if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
	}
	return kept;
}

/** Removes the rights of group and others, who may have been allowed to read the database while it was served. */
function makePrivate(kept: string): void {
	try {
		chmodSync(kept, statSync(kept).mode & PRIVATE);
	} catch {
		// It belongs to another user, and stays as open as the database was.
	}
}

/**
 * Merges a database's log into its file, and removes the log.
 * @throws StartError if another program has the database open: what it writes would be lost
 */
function mergeLog(file: string): void {
	try {
		using sqlite = openDatabase(file, WRITABLE);
		sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
		sqlite.run("PRAGMA journal_mode = DELETE");
	} catch (error) {
		// A damaged database is the best reason to restore one. Its log is kept beside it as it is.
		if (!isBusy(error)) return;
		throw new StartError(
			`database ${file} is open in another program; stop that first`,
			1,
		);
	}
}
