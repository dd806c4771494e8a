import {
	accessSync,
	constants,
	lstatSync,
	readdirSync,
	rmSync,
	type Stats,
	statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../lib/error-reason.ts";
import { DatabaseInUse, StartError } from "../../lib/start-error.ts";
import { requireSafeFolder } from "../folder-safety.ts";
import { createFile, fileError, PRIVATE, realPath } from "./database-file.ts";
import { isBusy, openDatabase, WRITABLE } from "./open-database.ts";

/** How long to wait for the lock of a file. */
const TIMEOUT_MS = 100;

/** How often to try again if other processes, whose start failed, remove the lock in between. */
const MAX_TRIES = 3;

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

/** The right to use a file. */
export interface Lock {
	/** Changes `administer` to `serve`. @throws StartError if another process serves the file */
	upgrade(): void;
	/** Releases the lock. */
	close(): void;
	/** Releases the lock, and removes the database and the lock if they were created for it. */
	abandon(): void;
}

/**
 * Takes the right to use a file, and creates the file if it is missing. The lock is one that SQLite holds on a file
 * beside it. The operating system releases it when the process ends, so the file itself has no meaning.
 *
 * SQLITE_OPEN_NOFOLLOW never follows a symbolic link in place of the lock to a foreign file. This process opens the lock
 * in no other way, because closing a second descriptor would release the lock (fcntl(2)). One gap remains: the owner of
 * a folder above may replace that folder meanwhile.
 * @param file its real path
 * @throws StartError if another process has the file, others may replace it, it has hard links, or the lock cannot be
 * taken for certain
 */
export function lockFile(file: string, use: Use): Lock {
	try {
		requireSafeFolder(dirname(file));
		const names = hardLinks(file);
		if (names !== null) throw new StartError(`database ${file} ${names}`, 1);
		return takeLock(file, use, MAX_TRIES);
	} catch (error) {
		throw lockError(file, error);
	}
}

function takeLock(file: string, use: Use, tries: number): Lock {
	const path = lockOf(file);
	const isNewLock = createLock(file, path);
	const before = plainFile(path);
	const sqlite = openDatabase(path, WRITABLE);
	let created: Stats | null = null;
	const abandon = () => {
		// Before the lock is released: nobody else uses the file yet, and a process that waits for the lock notices its
		// removal.
		try {
			if (created !== null && isSame(file, created)) removeDatabase(file);
			if (isNewLock) rmSync(path, { force: true });
		} catch {
			// Nothing can be removed any more; the caller reports why.
		}
		sqlite.close();
	};
	try {
		// A process that checks whether the file is served holds the lock for a moment.
		sqlite.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
		// The disk may have no room for a journal.
		sqlite.run("PRAGMA journal_mode = MEMORY");
		sqlite.run(transactions[use]);
	} catch (error) {
		sqlite.close();
		throw error;
	}
	if (before === null || !isSame(path, before)) {
		sqlite.close();
		if (tries > 1) return takeLock(file, use, tries - 1);
		throw new DatabaseInUse(file);
	}
	// SQLite also opens a file that it may only read, and then locks nothing. A write shows that.
	const write = () => sqlite.run("PRAGMA user_version = 1");
	const upgrade = () => {
		try {
			write();
		} catch (error) {
			throw lockError(file, error);
		}
	};
	try {
		if (use !== "administer") {
			write();
			created = createDatabase(file);
		}
		return { upgrade, close: () => sqlite.close(), abandon };
	} catch (error) {
		abandon();
		throw error;
	}
}

/** Creates an empty database. If root creates it, it belongs to the owner of its folder. Returns null if there is one. */
function createDatabase(file: string): Stats | null {
	if (statSync(file, { throwIfNoEntry: false }) !== undefined) return null;
	createFile(file, PRIVATE, statSync(dirname(file)));
	return statSync(file);
}

function removeDatabase(file: string): void {
	for (const suffix of ["", "-journal", "-wal", "-shm"]) {
		rmSync(file + suffix, { force: true });
	}
}

/**
 * Whether another process serves a file, which may have been moved since.
 * @param file its real path
 * @throws StartError, SQLiteError, or what the file system reports, if that cannot be determined
 */
export function isServed(file: string): boolean {
	const path = lockOf(file);
	const stats = plainFile(path);
	if (stats === null) return false;
	const lock = openDatabase(path, WRITABLE);
	try {
		lock.run(transactions.serve);
	} catch (error) {
		if (isBusy(error)) return true;
		throw error;
	} finally {
		lock.close();
	}
	const database = statSync(file, { throwIfNoEntry: false });
	if (database === undefined) return false;
	// A process that serves the database but may not write the lock does not hold it.
	if (!mayWrite(stats, database)) {
		throw readOnlyLock(file, "the database's owner");
	}
	if (!isWritable(path) && isWritable(file)) {
		throw readOnlyLock(file, "this user");
	}
	return false;
}

/**
 * Describes signs that a missing database was moved or removed: a process serves it, or its write-ahead log is there.
 * @param path where the database should be, in a folder that takes files
 * @returns a line for a person; null if there is no sign
 * @throws StartError, SQLiteError, or what the file system reports, if that cannot be determined
 */
export function traceOfMissing(path: string): string | null {
	let file: string;
	try {
		file = realPath(path);
	} catch (error) {
		// Nothing can be created here, as behind a link to a missing folder.
		if (error instanceof StartError) return null;
		throw error;
	}
	if (isServed(file)) {
		return `${path} is not there, but a process serves it: it was moved or removed meanwhile, and writes answer 503; put it back, or stop that process`;
	}
	const log = `${file}-wal`;
	const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
	if (size === 0) return null;
	return `${path} is not there, but ${log} is, which holds its last writes: bring the two together again; resort serve would make an empty database and drop them`;
}

/** Describes the hard links of a file, as the lock guards only one name; null if the file has one name or none. */
export function hardLinks(file: string): string | null {
	const stats = statSync(file, { throwIfNoEntry: false });
	// A folder has one more name for each folder in it.
	if (stats === undefined || stats.nlink < 2 || stats.isDirectory()) {
		return null;
	}
	const folder = dirname(file);
	const others = readdirSync(folder)
		.map((name) => join(folder, name))
		.filter((path) => path !== file && isSame(path, stats));
	const listed = others.length === 0 ? "" : `, also ${others.join(", ")}`;
	return `has ${stats.nlink} names (hard links)${listed}: its lock guards only one; copy it with resort backup instead, or remove the other names`;
}

/** Whether a path is that of the file with these stats. */
function isSame(path: string, { ino, dev }: Stats): boolean {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	return stats?.ino === ino && stats.dev === dev;
}

function lockOf(file: string): string {
	return `${file}-lock`;
}

/**
 * Creates the file of the lock. Users who may write the database may lock it. Nobody else may read the lock: a reader
 * can hold it, and so keep the resort from starting.
 * @returns whether it is new
 */
function createLock(file: string, path: string): boolean {
	const database = statSync(file, { throwIfNoEntry: false });
	const writers = 0o200 | ((database?.mode ?? 0) & 0o022);
	try {
		createFile(
			path,
			writers | (writers << 1),
			database ?? statSync(dirname(file)),
		);
		return true;
	} catch (error) {
		if (codeOf(error) !== "EEXIST") throw error;
		return false;
	}
}

/** Returns the stats of a lock; null if there is none. @throws StartError if it is not a file */
function plainFile(path: string): Stats | null {
	const stats = lstatSync(path, { throwIfNoEntry: false });
	if (stats === undefined) return null;
	if (stats.isFile()) return stats;
	const kind = stats.isSymbolicLink() ? "a symbolic link" : "no file";
	throw new StartError(
		`lock ${path} is ${kind}, which is not followed: remove it while no resort runs`,
		1,
	);
}

function lockError(file: string, error: unknown): StartError {
	if (isBusy(error)) return new DatabaseInUse(file);
	if (codeOf(error).startsWith("SQLITE_READONLY")) {
		return readOnlyLock(file, "this user");
	}
	const path = lockOf(file);
	return fileError(`lock ${path} cannot be opened or written`, error, path);
}

/** The error for a lock that may only be read, which locks nothing. */
function readOnlyLock(file: string, who: string): StartError {
	const path = lockOf(file);
	return new StartError(
		`lock ${path} may not be written by ${who}, so it keeps nobody off the database: give it to the user that serves (chown --reference=${file} ${path}), or remove it while no resort runs`,
		1,
	);
}

/** Whether the owner of another file may write a file. */
function mayWrite(file: Stats, { uid, gid }: Stats): boolean {
	if (uid === 0) return true;
	if (file.uid === uid) return (file.mode & 0o200) !== 0;
	return (file.mode & (file.gid === gid ? 0o020 : 0o002)) !== 0;
}

function isWritable(path: string): boolean {
	try {
		accessSync(path, constants.W_OK);
		return true;
	} catch {
		return false;
	}
}
