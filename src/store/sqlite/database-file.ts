import {
	accessSync,
	closeSync,
	constants,
	fchownSync,
	fsyncSync,
	lstatSync,
	openSync,
	readlinkSync,
	readSync,
	realpathSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, reasonOf } from "../../lib/error-reason.ts";
import { because, NameTaken, StartError } from "../../lib/start-error.ts";
import { requireSafeFolder } from "../folder-safety.ts";
import { APPLICATION_ID } from "./open-database.ts";

/** The mode of new databases and copies. They contain private postcards. */
export const PRIVATE = 0o600;

/**
 * Returns the real path of a file that exists or can be created, so that its lock is the same under every name.
 * @throws StartError if it cannot be created or written, or others may replace the file or a link to it
 */
export function realPath(path: string): string {
	try {
		// If the name is a link, others must not be able to replace that either.
		requireSafeFolder(dirname(path));
		if (statSync(path, { throwIfNoEntry: false }) === undefined) {
			return realPathOfMissing(path);
		}
		closeSync(openSync(path, constants.O_WRONLY));
		return realpathSync(path);
	} catch (error) {
		throw cannotOpen(path, error);
	}
}

/** A link may point to a file that does not exist. */
function realPathOfMissing(path: string): string {
	const folder = realpathSync(dirname(path));
	if (exists(path)) return realPath(resolve(folder, readlinkSync(path)));
	const fault = folderFault(dirname(path));
	if (fault !== null) throw new Error(fault.what);
	return join(folder, basename(path));
}

/**
 * Returns the real path of an existing database.
 * @throws StartError if it is missing, empty or not a resort's
 */
export function existingDatabase(path: string): string {
	let file: string;
	try {
		if (!exists(path)) throw new StartError(`${path} does not exist`, 1);
		file = realpathSync(path);
	} catch (error) {
		throw because(`database ${path} cannot be read`, error);
	}
	if (schemaInHeader(file) === null) {
		throw new StartError(`database ${file} is empty`, 1);
	}
	return file;
}

/** Whether a file, a folder or a link exists at a path. */
function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Creates an empty file. If this process is root's, the file gets an owner, as SQLite does with its own side files.
 * @param path a free name
 * @param mode its permissions, which the umask reduces
 * @throws what the file system reports
 */
export function createFile(
	path: string,
	mode: number,
	owner: { readonly uid: number; readonly gid: number },
): void {
	const descriptor = openSync(path, "wx", mode & 0o777);
	try {
		if (process.geteuid?.() === 0) {
			fchownSync(descriptor, owner.uid, owner.gid);
		}
	} catch {
		// Root may lack that right, as in a container. Users who cannot open the file get their own error.
	} finally {
		closeSync(descriptor);
	}
}

/**
 * Reads the schema version from the header of a file (https://www.sqlite.org/fileformat.html, 1.3) without opening it
 * as a database. The write-ahead log may contain a newer one.
 * @returns null for a missing or empty file
 * @throws StartError if the file is not a resort's, or cannot be read
 */
export function schemaInHeader(file: string): number | null {
	const header = readHeader(file);
	if (header.length === 0) return null;
	const magic = header.toString("latin1", 0, 16);
	if (header.length < 100 || magic !== "SQLite format 3\0") {
		throw new StartError(`database ${file} is not a SQLite database`, 1);
	}
	if (header.readUInt32BE(68) !== APPLICATION_ID) {
		throw new StartError(`database ${file} is not a resort's database`, 1);
	}
	return header.readUInt32BE(60);
}

function readHeader(file: string): Buffer {
	try {
		const descriptor = openSync(file, "r");
		try {
			const header = Buffer.alloc(100);
			return header.subarray(0, readSync(descriptor, header));
		} finally {
			closeSync(descriptor);
		}
	} catch (error) {
		if (codeOf(error) === "ENOENT") return Buffer.alloc(0);
		throw because(`database ${file} cannot be read`, error);
	}
}

/**
 * Flushes a file, or the names in a folder, to disk.
 * @throws what the file system reports
 */
export function sync(path: string): void {
	const descriptor = openSync(path, "r");
	fsyncSync(descriptor);
	closeSync(descriptor);
}

/** Returns a name in the same folder for a file that is not complete. */
export function unfinishedName(file: string): string {
	return `${file}.${crypto.randomUUID()}.tmp`;
}

/** Removes an unfinished file and SQLite's journal of it. */
export function removeUnfinished(path: string): void {
	for (const file of [path, `${path}-journal`]) {
		try {
			rmSync(file, { force: true });
		} catch {
			// If nothing can be removed, nothing could be created either; the caller reports why.
		}
	}
}

/** @throws NameTaken if there is a file, a folder or a link of this name */
export function requireFree(path: string): void {
	if (exists(path)) throw new NameTaken(path);
}

/**
 * Renames a file to a free name. Of two processes that want the same name, one gets it.
 * @throws NameTaken if it is not free, or what the file system reports
 */
export function moveToFreeName(file: string, path: string): void {
	try {
		closeSync(openSync(path, "wx"));
	} catch (error) {
		throw exists(path) ? new NameTaken(path) : error;
	}
	try {
		renameSync(file, path);
	} catch (error) {
		rmSync(path);
		throw error;
	}
}

/** The error for a database that cannot be used. */
export function cannotOpen(file: string, error: unknown): StartError {
	return fileError(`database ${file} cannot be opened or written`, error, file);
}

/**
 * Like {@link because}, for a file that was to be written. SQLite does not report whether the cause is the folder or a
 * file beside it, so this checks them.
 */
export function fileError(
	what: string,
	error: unknown,
	file: string,
): StartError {
	const fault = sideFileFault(file);
	return fault === null || error instanceof StartError
		? because(what, error)
		: new StartError(`${what}: ${fault}`, 1);
}

/** Why this user cannot write a database file or the files that SQLite keeps beside it; null if no reason is found. */
export function writeFault(file: string): string | null {
	return accessFault(file) ?? sideFileFault(file);
}

function sideFileFault(file: string): string | null {
	return (
		folderFault(dirname(file))?.what ??
		accessFault(`${file}-wal`) ??
		accessFault(`${file}-shm`)
	);
}

/** Why a file cannot be written; null also if it is missing. */
function accessFault(file: string): string | null {
	try {
		accessSync(file, constants.W_OK);
		return null;
	} catch (error) {
		return codeOf(error) === "ENOENT"
			? null
			: `${file} cannot be written by this user: ${reasonOf(error)}`;
	}
}

/** Why no file can be created in a folder. */
export interface FolderFault {
	/** The operating system's error code, such as `EROFS`. */
	readonly code: string;
	readonly what: string;
}

/** Why this user cannot create files in a folder; null if no reason is found. */
export function folderFault(folder: string): FolderFault | null {
	try {
		accessSync(folder, constants.W_OK | constants.X_OK);
		return null;
	} catch (error) {
		const what = `folder ${folder} takes no files of this user: ${reasonOf(error)}`;
		return { code: codeOf(error), what };
	}
}
