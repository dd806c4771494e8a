import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import { fileError, requireSafeFolder, writeFault } from "./database-file.ts";
import { isBusy, openDatabase, WRITABLE } from "./open-database.ts";
import { createFile, exists } from "./unfinished-file.ts";

/** How long to wait for the lock of a file: a process that checks whether the file is served holds it for a moment. */
const TIMEOUT_MS = 100;

/**
 * What a process does with a file. At most one process serves it, and any number administer it beside that one. A
 * process that replaces it must be the only one.
 */
export type Use = "serve" | "administer" | "replace";

/**
 * The transactions on the lock file. They exclude each other as {@link Use} describes, by SQLite's locks RESERVED, SHARED
 * and EXCLUSIVE (https://www.sqlite.org/lockingv3.html).
 */
const transactions: Readonly<Record<Use, string>> = {
	serve: "BEGIN IMMEDIATE",
	administer: "BEGIN; SELECT count(*) FROM sqlite_schema",
	replace: "BEGIN EXCLUSIVE",
};

/**
 * Locks a database for a use. SQLite holds the lock on a file beside the database. The operating system releases it when
 * the process ends, so a lock file that stays has no meaning.
 *
 * With SQLITE_OPEN_NOFOLLOW, SQLite follows no symbolic link that someone puts in place of the lock file. This process
 * must open the lock file only once, because closing a second descriptor would release the lock (fcntl(2)). One gap
 * remains: the owner of a folder above may replace that folder meanwhile.
 * @param file its real path
 * @returns a connection that holds the lock until it is closed
 * @throws StartError if another process uses the file, others may replace it, it has hard links, or it is not certain
 * that the lock was taken
 */
export function lockFile(file: string, use: Use): Database {
	try {
		requireSafeFolder(dirname(file));
		const fault = hardLinkFault(file);
		if (fault !== null) throw new StartError(fault);
		if (!exists(lockOf(file))) createLock(file);
		return takeLock(file, use, use !== "administer");
	} catch (error) {
		throw lockError(file, error);
	}
}

/**
 * Returns whether another process serves a file, which may have been moved since.
 * @param file its real path
 * @throws StartError if that cannot be determined
 */
export function isServed(file: string): boolean {
	if (!exists(lockOf(file))) return false;
	try {
		// A user who cannot write the database will not serve it, so the lock need not be certain.
		takeLock(file, "serve", writeFault(file) === null).close();
		return false;
	} catch (error) {
		if (isBusy(error)) return true;
		throw lockError(file, error);
	}
}

/**
 * @param isWritten whether to make sure of the lock by a write, which is never committed: SQLite also opens a file that
 * it may only read, and then locks nothing
 */
function takeLock(file: string, use: Use, isWritten: boolean): Database {
	const lock = openDatabase(lockOf(file), WRITABLE);
	try {
		lock.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
		// The journal is kept in memory, because the disk may be full.
		lock.run("PRAGMA journal_mode = MEMORY");
		lock.run(transactions[use]);
		if (isWritten) lock.run("PRAGMA user_version = 1");
		return lock;
	} catch (error) {
		lock.close();
		throw error;
	}
}

/**
 * Creates the lock file. Only users who may write the database may open it: a user who can read it can hold the lock,
 * and so keep the resort from starting.
 */
function createLock(file: string): void {
	const database = statSync(file, { throwIfNoEntry: false });
	const writers = 0o200 | ((database?.mode ?? 0) & 0o022);
	try {
		createFile(lockOf(file), writers | (writers << 1), database);
	} catch (error) {
		// Another process has created it meanwhile.
		if (codeOf(error) !== "EEXIST") throw error;
	}
}

/** Describes the hard links of a file; null if the file has one name or none. */
export function hardLinkFault(file: string): string | null {
	const stats = statSync(file, { throwIfNoEntry: false });
	// A folder has one more name for each folder in it.
	if (stats === undefined || stats.nlink < 2 || stats.isDirectory()) {
		return null;
	}
	return `database ${file} has ${stats.nlink} names (hard links), and its lock protects only one: copy it with resort backup instead, or remove the other names`;
}

function lockOf(file: string): string {
	return `${file}-lock`;
}

function lockError(file: string, error: unknown): StartError {
	if (isBusy(error)) {
		return new StartError(
			`database ${file} is in use by another resort process; stop that process, or use another --database`,
		);
	}
	const path = lockOf(file);
	return fileError(`lock ${path} cannot be opened or written`, error, path);
}
