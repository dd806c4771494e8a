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
import { codeOf } from "../../../lib/error-reason.ts";
import { DatabaseInUse, StartError } from "../../../lib/start-error.ts";
import { requireOwnFolder } from "../../folder.ts";
import { isBusy } from "../writer.ts";
import { becauseOfFile, makeFile, PRIVATE } from "./file.ts";
import { openDatabase, WRITABLE } from "./open.ts";

/** How long to wait for the lock of a file. */
const TIMEOUT_MS = 100;

/** How often the lock is tried for when other starts, which were refused, remove it meanwhile. */
const MAX_TRIES = 3;

/**
 * What a process does with a file. At most one process serves it, and any number administer it beside that one. Who
 * replaces it is alone: no other process may have it open.
 */
export type Use = "serve" | "administer" | "replace";

/**
 * The transactions on the lock that exclude each other in this way, by the locks of SQLite's rollback mode
 * (https://www.sqlite.org/lockingv3.html): RESERVED, SHARED and EXCLUSIVE.
 */
const locking: Readonly<Record<Use, string>> = {
	serve: "BEGIN IMMEDIATE",
	administer: "BEGIN; SELECT count(*) FROM sqlite_schema",
	replace: "BEGIN EXCLUSIVE",
};

/** The right to use a file. */
export interface Lock {
	/**
	 * Turns the right to administer the file into the right to serve it.
	 * @throws StartError if another process serves it
	 */
	upgrade(): void;
	/** Gives the right back. */
	close(): void;
	/** Gives it back and removes the database and the lock, each only if it was made for this right. */
	abandon(): void;
}

/**
 * Takes the right to use a file, and makes the file when there is none. The lock is one that SQLite holds on a
 * file beside it: the operating system drops it when the process dies, so the file itself never means anything.
 *
 * A link in place of the lock is never followed, as it could lead to a file of somebody else. SQLite itself
 * refuses it (SQLITE_OPEN_NOFOLLOW, and O_NOFOLLOW when it opens the file), so that nobody can put one there
 * between a look and the opening. This process opens the lock in no other way: closing a second descriptor would
 * drop the lock (fcntl(2)). One gap remains: the owner of a folder above may exchange that folder meanwhile.
 * @param file its one true path
 * @returns the right, held until it is closed
 * @throws StartError when another process has it, it cannot be had for certain, others may replace the file, or
 * the file has hard links
 */
export function lockFile(file: string, use: Use): Lock {
	const path = lockOf(file);
	try {
		requireOwnFolder(dirname(file));
		const names = severalNames(file);
		if (names !== null) throw new StartError(`database ${file} ${names}`, 1);
		return takeLock(file, path, use, MAX_TRIES);
	} catch (error) {
		throw lockFailure(file, error);
	}
}

function lockFailure(file: string, error: unknown): StartError {
	if (isBusy(error)) return new DatabaseInUse(file);
	if (codeOf(error).startsWith("SQLITE_READONLY")) {
		return new StartError(noLock(file, "this user"), 1);
	}
	const path = lockOf(file);
	return becauseOfFile(`lock ${path} cannot be opened or written`, error, path);
}

function takeLock(file: string, path: string, use: Use, tries: number): Lock {
	const isNewLock = makeLock(file, path);
	const before = plainFile(path);
	const sqlite = openDatabase(path, WRITABLE);
	let made: Stats | null = null;
	const close = () => sqlite.close();
	const abandon = () => {
		// Before the lock is released: nobody else serves the file yet, and whoever waits for the lock notices its
		// removal.
		try {
			if (made !== null && isSame(file, made)) removeDatabase(file);
			if (isNewLock) rmSync(path, { force: true });
		} catch {
			// The folder takes no changes any more; the caller reports what went wrong before.
		}
		sqlite.close();
	};
	try {
		// A process that checks whether the file is served holds the lock for a moment too.
		sqlite.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
		// The journal is kept in memory: there may be no room for it on the disk.
		sqlite.run("PRAGMA journal_mode = MEMORY");
		sqlite.run(locking[use]);
	} catch (error) {
		sqlite.close();
		throw error;
	}
	if (before === null || !isSame(path, before)) {
		sqlite.close();
		if (tries > 1) return takeLock(file, path, use, tries - 1);
		throw new DatabaseInUse(file);
	}
	// SQLite also opens a file that it may only read, and then locks nothing. A write finds that out.
	const write = () => sqlite.run("PRAGMA user_version = 1");
	const upgrade = () => {
		try {
			write();
		} catch (error) {
			throw lockFailure(file, error);
		}
	};
	try {
		if (use !== "administer") {
			write();
			made = makeDatabase(file);
		}
		return { upgrade, close, abandon };
	} catch (error) {
		abandon();
		throw error;
	}
}

/**
 * Makes an empty database; made by root, it belongs to the owner of its folder.
 * @returns null when there is one
 */
function makeDatabase(file: string): Stats | null {
	if (statSync(file, { throwIfNoEntry: false }) !== undefined) return null;
	makeFile(file, PRIVATE, statSync(dirname(file)));
	return statSync(file);
}

function removeDatabase(file: string): void {
	for (const suffix of ["", "-journal", "-wal", "-shm"]) {
		rmSync(file + suffix, { force: true });
	}
}

/**
 * Whether another process serves a file, which may have been moved away since; takes the lock from nobody.
 * @param file its one true path
 * @throws StartError, SQLiteError, or what the file system reports, when that cannot be told
 */
export function isServed(file: string): boolean {
	const path = lockOf(file);
	const stats = plainFile(path);
	if (stats === null) return false;
	const lock = openDatabase(path, WRITABLE);
	try {
		lock.run(locking.serve);
	} catch (error) {
		if (isBusy(error)) return true;
		throw error;
	} finally {
		lock.close();
	}
	const database = statSync(file, { throwIfNoEntry: false });
	if (database === undefined) return false;
	// A process that serves the database but may not write the lock holds none, and could not be noticed.
	if (!mayWrite(stats, database)) {
		throw new StartError(noLock(file, "the database's owner"), 1);
	}
	if (!isWritable(path) && isWritable(file)) {
		throw new StartError(noLock(file, "this user"), 1);
	}
	return false;
}

/**
 * Tells of the hard links of a file. The lock goes by one name, so it does not guard the others.
 * @returns null when it has one name, or none
 */
export function severalNames(file: string): string | null {
	const stats = statSync(file, { throwIfNoEntry: false });
	if (stats === undefined) return null;
	const { nlink } = stats;
	// A folder has one more name for each folder in it.
	if (nlink < 2 || stats.isDirectory()) return null;
	const folder = dirname(file);
	const others = readdirSync(folder)
		.map((name) => join(folder, name))
		.filter((path) => path !== file && isSame(path, stats));
	const told = others.length === 0 ? "" : `, also ${others.join(", ")}`;
	return `has ${nlink} names (hard links)${told}: its lock guards only one; copy it with resort backup instead, or remove the other names`;
}

/** Whether a path leads to the file that these stats are of. */
function isSame(path: string, { ino, dev }: Stats): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.ino === ino && found.dev === dev;
}

function lockOf(file: string): string {
	return `${file}-lock`;
}

/**
 * Makes the file of the lock. Whoever may write the database may lock it, and nobody else may read the lock: whoever
 * can read it can hold it, and so keep the resort from starting.
 * @returns whether it was made now
 */
function makeLock(file: string, path: string): boolean {
	const database = statSync(file, { throwIfNoEntry: false });
	const writers = 0o200 | ((database?.mode ?? 0) & 0o022);
	try {
		makeFile(
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

/**
 * The file of a lock.
 * @returns null when there is none
 * @throws StartError when a link, or anything else that is no file, stands in its place
 */
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

/** The message for a lock that may only be read, which locks nothing, and what helps. */
function noLock(file: string, who: string): string {
	const path = lockOf(file);
	return `lock ${path} may not be written by ${who}, so it keeps nobody off the database: give it to the user that serves (chown --reference=${file} ${path}), or remove it while no resort runs`;
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
