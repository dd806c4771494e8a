import { Database } from "bun:sqlite";
import {
	accessSync,
	constants,
	lstatSync,
	readdirSync,
	type Stats,
	statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { codeOf } from "../../../lib/failure.ts";
import { StartError } from "../../../lib/start-error.ts";
import { isBusy } from "../writer.ts";
import { because, makeFile } from "./file.ts";

/** How long the lock of a file is waited for. */
const LOCK_PATIENCE_MS = 100;

/**
 * Takes the right to serve a file. The lock is one that SQLite holds on a file beside it: the
 * operating system drops it when the process dies, so the file itself never means anything.
 * @param file its one true path
 * @returns the lock, held until it is closed
 * @throws StartError when another process has it, it cannot be had for certain, or the file has hard links
 */
export function lockFile(file: string): Database {
	const names = severalNames(file);
	if (names !== null) throw new StartError(`database ${file} ${names}`, 1);
	const path = lockOf(file);
	let lock: Database | undefined;
	try {
		makeLock(path, statSync(file));
		lock = new Database(path, { create: true, readwrite: true });
		// Who looks whether the file is served has the lock for a moment too; that is no reason to give up.
		lock.run(`PRAGMA busy_timeout = ${LOCK_PATIENCE_MS}`);
		lock.run("BEGIN EXCLUSIVE");
		// A file that it may only read SQLite opens all the same, and locks nothing then; a write tells.
		lock.run("PRAGMA user_version = 1");
		return lock;
	} catch (error) {
		lock?.close();
		if (isBusy(error)) {
			throw new StartError(
				`database ${file} is in use by another resort process; stop it, or give another --database`,
				1,
			);
		}
		if (codeOf(error).startsWith("SQLITE_READONLY")) {
			throw new StartError(noLock(file, "this user"), 1);
		}
		throw because(`lock ${path} cannot be opened or written`, error, path);
	}
}

/**
 * Whether another process serves a file; takes the lock from nobody.
 * @param file its one true path
 * @throws StartError, SQLiteError, or what the file system reports, when that cannot be told
 */
export function isServed(file: string): boolean {
	const path = lockOf(file);
	const stats = statSync(path, { throwIfNoEntry: false });
	if (stats === undefined) return false;
	const lock = new Database(path, { readonly: true });
	try {
		lock.run("SELECT count(*) FROM sqlite_schema");
	} catch (error) {
		if (isBusy(error)) return true;
		throw error;
	} finally {
		lock.close();
	}
	// Whoever serves it without the right to lock it could not be seen.
	if (!mayWrite(stats, statSync(file))) {
		throw new StartError(noLock(file, "the database's owner"), 1);
	}
	if (!isWritable(path) && isWritable(file)) {
		throw new StartError(noLock(file, "this user"), 1);
	}
	return false;
}

/**
 * Why a file has names past its lock, which is found by the name: hard links.
 * @returns null when it has one name
 */
export function severalNames(file: string): string | null {
	const stats = statSync(file);
	const { nlink, ino, dev } = stats;
	// A folder has a name more for each of those in it.
	if (nlink < 2 || stats.isDirectory()) return null;
	const folder = dirname(file);
	const others = readdirSync(folder)
		.map((name) => join(folder, name))
		.filter((path) => path !== file && isSame(path, ino, dev));
	const told = others.length === 0 ? "" : `, also ${others.join(", ")}`;
	return `has ${nlink} names (hard links)${told}: its lock guards only one; copy it with resort backup instead, or remove the other names`;
}

function isSame(path: string, ino: number, dev: number): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.ino === ino && found.dev === dev;
}

function lockOf(file: string): string {
	return `${file}-lock`;
}

/** Makes the file of the lock as the database is, so that whoever may write the one may lock it. */
function makeLock(path: string, database: Stats): void {
	try {
		makeFile(path, database.mode, database);
	} catch (error) {
		if (codeOf(error) !== "EEXIST") throw error;
	}
}

/** Why a file whose lock may only be read is as good as not locked, and what helps. */
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
