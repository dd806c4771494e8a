import type { Database } from "bun:sqlite";
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
import { because, StartError } from "../../../lib/start-error.ts";
import type { Restored } from "../../engine.ts";
import { requireOwnFolder } from "../../folder.ts";
import { isBusy } from "../writer.ts";
import {
	countOrphans,
	findDamage,
	openReadOnly,
	schemaVersion,
} from "./checks.ts";
import { existingDatabase, unfinishedName, writeCopy } from "./copy.ts";
import {
	makeFile,
	PRIVATE,
	realPath,
	removeUnfinished,
	schemaInHeader,
	sync,
} from "./file.ts";
import { lockFile } from "./lock.ts";
import { migrations, newerDatabase } from "./migrate.ts";
import { openDatabase, WRITABLE } from "./open.ts";
import { requireOwnSchema } from "./schema.ts";

/** How long a program that only looks into the database is waited for. */
const PATIENCE_MS = 1_000;

/**
 * Puts a copy in the place of a database; the copy stays, and what stood there is kept beside it.
 * @param copy the file to restore
 * @param database the database's file, whose folder exists
 * @param nowMs the time in the name of the kept database
 * @throws StartError when the copy is not a sound database of a resort that this program knows, others may
 * replace it or the database, or a program has the database open; all is left as it was
 */
export function restore(
	copy: string,
	database: string,
	nowMs: number,
): Restored {
	const from = existingDatabase(copy);
	// Where the name is a link, others must not replace that either.
	requireOwnFolder(dirname(copy));
	requireSound(from);
	const path = realPath(database);
	if (path === from) {
		throw new StartError(`${copy} is the database itself`, 1);
	}
	const lock = lockFile(path, "replace");
	const unfinished = unfinishedName(path);
	try {
		const isNew = schemaInHeader(path) === null;
		const before = statSync(path);
		writeCopy(from, unfinished, before.mode, before);
		const kept = isNew ? null : keep(path, nowMs);
		// SQLite would apply an old log to the copy.
		for (const suffix of ["-wal", "-shm", "-journal"]) {
			rmSync(path + suffix, { force: true });
		}
		sync(dirname(path));
		renameSync(unfinished, path);
		sync(dirname(path));
		if (kept !== null) makePrivate(kept);
		lock.close();
		return { path, kept };
	} catch (error) {
		removeUnfinished(unfinished);
		lock.abandon();
		throw because(`cannot restore ${from} to ${path}`, error);
	}
}

/**
 * @throws StartError when a file is newer than this program, damaged, of another schema than its version says,
 * or holds rows without their parents, or when others may replace it
 */
export function requireSound(file: string): void {
	let sqlite: Database | undefined;
	try {
		requireOwnFolder(dirname(file));
		sqlite = openReadOnly(file);
		const version = schemaVersion(sqlite);
		if (version > migrations.length) throw newerDatabase(file, version);
		const damage = findDamage(sqlite);
		if (damage !== null) throw unsound(file, damage);
		if (version === 0) throw new StartError(`database ${file} is empty`, 1);
		requireOwnSchema(sqlite, file);
		const orphans = countOrphans(sqlite);
		if (orphans > 0) {
			throw unsound(file, `references that lead nowhere: ${orphans}`);
		}
	} catch (error) {
		throw because(`database ${file} cannot be read`, error);
	} finally {
		sqlite?.close();
	}
}

function unsound(file: string, damage: string): StartError {
	return new StartError(`database ${file} is damaged: ${damage}`, 1);
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
		makeFile(kept, PRIVATE, statSync(file));
		copyFileSync(file, kept);
		sync(kept);
	}
	// What could not be merged belongs to the kept one, and SQLite finds it there under these names.
	for (const suffix of ["-wal", "-journal"]) {
		if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
	}
	return kept;
}

/** Takes a kept database from group and others, who may have been allowed to read the one in service. */
function makePrivate(kept: string): void {
	try {
		chmodSync(kept, statSync(kept).mode & PRIVATE);
	} catch {
		// It belongs to another user; then it is as open as the database was.
	}
}

/**
 * Moves what a database's log holds into its file, and removes the log.
 * @throws StartError when another program has the database open: what it writes then would be lost
 */
function mergeLog(file: string): void {
	try {
		const sqlite = openDatabase(file, WRITABLE);
		try {
			sqlite.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
			sqlite.run("PRAGMA journal_mode = DELETE");
		} finally {
			sqlite.close();
		}
	} catch (error) {
		if (isBusy(error)) {
			throw new StartError(
				`database ${file} is open in another program; stop that first`,
				1,
			);
		}
		// A damaged database is the best reason to restore one: its log is kept beside it as it is.
	}
}
