import type { Database } from "bun:sqlite";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import { fileError, requireSafeFolder } from "./database-file.ts";
import { isBusy, openDatabase, WRITABLE } from "./open-database.ts";
import { createFile, exists } from "./unfinished-file.ts";

/** How long to wait for the lock: a process that is about to end may still hold it. */
const TIMEOUT_MS = 100;

/**
 * How a process uses a database file. One process can serve the file while any number of processes administer
 * it. While a process replaces the file, no other process can use it.
 */
export type Use = "serve" | "administer" | "replace";

/**
 * The transactions on the lock file. They take SQLite's locks RESERVED, SHARED and EXCLUSIVE, in this order.
 * These locks exclude each other exactly as {@link Use} requires (https://www.sqlite.org/lockingv3.html).
 */
const transactions: Readonly<Record<Use, string>> = {
	serve: "BEGIN IMMEDIATE",
	administer: "BEGIN; SELECT count(*) FROM sqlite_schema",
	replace: "BEGIN EXCLUSIVE",
};

/**
 * Locks a database for a use. SQLite holds the lock on a separate lock file next to the database. The lock
 * file may exist although nobody holds the lock.
 *
 * With SQLITE_OPEN_NOFOLLOW, SQLite does not follow a symbolic link in place of the lock file. This process
 * must open the lock file only once, because closing a second descriptor would release the lock (fcntl(2)).
 * One gap remains: the owner of a parent folder could replace the folder while the lock is held.
 * @param file the real path of the database
 * @returns a connection that holds the lock until it is closed
 * @throws StartError if another process uses the file, other users could replace the file, the file has hard
 * links or is a mount, or the lock cannot be confirmed
 */
export function lockFile(file: string, use: Use): Database {
	const path = `${file}-lock`;
	try {
		requireSafeFolder(dirname(file));
		const fault = hardLinkFault(file) ?? mountFault(file);
		if (fault !== null) throw new StartError(fault);
		if (!exists(path)) createLock(file);
		using resources = new DisposableStack();
		const lock = resources.use(openDatabase(path, WRITABLE));
		lock.run(`PRAGMA busy_timeout = ${TIMEOUT_MS}`);
		// The journal is kept in memory, because the disk may be full.
		lock.run("PRAGMA journal_mode = MEMORY");
		lock.run(transactions[use]);
		// A write that is never committed proves that the lock is held: SQLite may have opened the lock file
		// read-only and locked nothing.
		if (use !== "administer") lock.run("PRAGMA user_version = 1");
		resources.move();
		return lock;
	} catch (error) {
		if (!isBusy(error)) throw fileError(`lock ${path} cannot be opened or written`, error, path);
		throw new StartError(
			`database ${file} is in use by another resort process; stop that process, or use another database`,
		);
	}
}

/**
 * Creates the lock file. Only users who can write the database may open the lock file, because anybody who
 * holds the lock prevents the resort from starting.
 */
function createLock(file: string): void {
	const database = statSync(file, { throwIfNoEntry: false });
	const writers = 0o200 | ((database?.mode ?? 0) & 0o022);
	try {
		createFile(`${file}-lock`, writers | (writers << 1), database);
	} catch (error) {
		// EEXIST means that another process has created the file in the meantime.
		if (codeOf(error) !== "EEXIST") throw error;
	}
}

/** Returns an error message if a file has several names (hard links), otherwise null. */
export function hardLinkFault(file: string): string | null {
	const stats = statSync(file, { throwIfNoEntry: false });
	// Folders are skipped, because each subfolder counts as a link to its folder.
	if (stats === undefined || stats.nlink < 2 || stats.isDirectory()) {
		return null;
	}
	return `database ${file} has ${stats.nlink} names (hard links), and its lock protects only one: remove the other names`;
}

/**
 * Returns an error message if a database file, or a file of SQLite next to it, is a mount, otherwise null. A
 * mounted file has a second name, under which a process would use another log and another lock.
 */
export function mountFault(file: string): string | null {
	let mounts: string;
	try {
		mounts = readFileSync("/proc/self/mountinfo", "utf8");
	} catch {
		// Only Linux has this list (proc(5)), and only Linux mounts files.
		return null;
	}
	const names = mounts.split("\n").map((line) => line.split(" ")[4]);
	const escaped = file.replaceAll(
		/[ \t\n\\]/g,
		(char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`,
	);
	const suffix = ["", "-wal", "-shm", "-journal", "-lock"].find((one) => names.includes(escaped + one));
	return suffix === undefined
		? null
		: `${file}${suffix} is a mount of its own, without the files next to it: mount the folder, not the file`;
}
