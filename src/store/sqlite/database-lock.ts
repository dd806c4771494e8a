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
 * process that replaces the file is alone.
 */
export type Use = "serve" | "administer" | "replace";

/**
 * The transactions on the lock that exclude each other in this way, by SQLite's locks RESERVED, SHARED and EXCLUSIVE
 * (https://www.sqlite.org/lockingv3.html).
 */
const transactions: Readonly<Record<Use, string>> = {
	serve: "BEGIN IMMEDIATE",
	administer: "BEGIN; SELECT count(*) FROM sqlite_schema",
	replace: "BEGIN EXCLUSIVE",
};

/**
 * Takes the right to use a file. The lock is one that SQLite holds on a file beside it. The operating system releases it
 * when the process ends, so the file itself has no meaning, and stays.
 *
 * SQLITE_OPEN_NOFOLLOW never follows a symbolic link in place of the lock to a foreign file. This process opens the lock
 * in no other way, because closing a second descriptor would release the lock (fcntl(2)). One gap remains: the owner of
 * a folder above may replace that folder meanwhile.
 * @param file its real path
 * @returns what releases the lock when it is closed
 * @throws StartError if another process has the file, others may replace it, it has hard links, or the lock cannot be
 * taken for certain
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
 * Whether another process serves a file, which may have been moved since.
 * @param file its real path
 * @throws StartError if that cannot be determined
 */
export function isServed(file: string): boolean {
	if (!exists(lockOf(file))) return false;
	try {
		// Who may not write the database does not serve it.
		takeLock(file, "serve", writeFault(file) === null).close();
		return false;
	} catch (error) {
		if (isBusy(error)) return true;
		throw lockError(file, error);
	}
}

/**
 * @param isWritten whether the lock is written. SQLite also opens a file that it may only read, and then locks nothing.
 * A write, which is never committed, fails then
 */
function takeLock(file: string, use: Use, isWritten: boolean): Database {
	const lock = openDatabase(lockOf(file), WRITABLE);
	try {
		lock.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
		// The disk may have no room for a journal.
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
 * Users who may write the database may lock it. Nobody else may read the lock: a reader can hold it, and so keep the
 * resort from starting.
 */
function createLock(file: string): void {
	const database = statSync(file, { throwIfNoEntry: false });
	const writers = 0o200 | ((database?.mode ?? 0) & 0o022);
	try {
		createFile(lockOf(file), writers | (writers << 1), database);
	} catch (error) {
		// Another process was faster.
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
