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
	rmSync,
	statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, reasonOf } from "../../../lib/error-reason.ts";
import { because, StartError } from "../../../lib/start-error.ts";
import { requireOwnFolder } from "../../folder.ts";

/** `PRAGMA application_id` of a resort's database: "RSRT". */
export const APPLICATION_ID = 0x52535254;

/** What only the owner of a new database or copy may do: read and write it. It holds private postcards. */
export const PRIVATE = 0o600;

/**
 * The one true path of a file that is there or will be made, so that its lock is the same by whatever name the file
 * is opened. Makes nothing.
 * @throws StartError when it cannot be made or written, or others may replace the file or a link to it
 */
export function realPath(path: string): string {
	try {
		// Where the name is a link, others must not replace that either.
		requireOwnFolder(dirname(path));
		if (statSync(path, { throwIfNoEntry: false }) === undefined) {
			return futurePath(path);
		}
		closeSync(openSync(path, constants.O_WRONLY));
		return realpathSync(path);
	} catch (error) {
		throw cannotOpen(path, error);
	}
}

/** The path of a file that is not there, but may have a link that leads to its place. */
function futurePath(path: string): string {
	const folder = realpathSync(dirname(path));
	if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
		return realPath(resolve(folder, readlinkSync(path)));
	}
	const fault = folderFault(dirname(path));
	if (fault !== null) throw new Error(fault.what);
	return join(folder, basename(path));
}

/**
 * Makes an empty file. Root gives it to the owner it is for, as SQLite does with its own side files.
 * @param path a name that is free
 * @param mode its permissions, of which the umask takes some away
 * @throws what the file system reports
 */
export function makeFile(
	path: string,
	mode: number,
	{ uid, gid }: { readonly uid: number; readonly gid: number },
): void {
	const descriptor = openSync(path, "wx", mode & 0o777);
	try {
		if (process.geteuid?.() === 0) fchownSync(descriptor, uid, gid);
	} catch {
		// Root may lack that right, as in a container. Whoever cannot open the file then is told so.
	} finally {
		closeSync(descriptor);
	}
}

/**
 * The schema version that a file's own first page tells; what a write-ahead log holds may be newer. It reads
 * the header (https://www.sqlite.org/fileformat.html, 1.3) without opening the file as a database.
 * @returns null for an empty file, which is no database yet, and for a missing one
 * @throws StartError when the file is not a resort's, or cannot be read
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
 * Makes sure that a file, or the names in a folder, are on disk.
 * @throws what the file system reports
 */
export function sync(path: string): void {
	const descriptor = openSync(path, "r");
	fsyncSync(descriptor);
	closeSync(descriptor);
}

/** Takes away what is left of a copy that could not be finished: the file, and SQLite's journal of it. */
export function removeUnfinished(path: string): void {
	for (const file of [path, `${path}-journal`]) {
		try {
			rmSync(file, { force: true });
		} catch {
			// Where nothing can be removed, nothing could be made either; the caller reports why.
		}
	}
}

/** The error for a database that cannot be used. */
export function cannotOpen(file: string, error: unknown): StartError {
	return becauseOfFile(
		`database ${file} cannot be opened or written`,
		error,
		file,
	);
}

/**
 * Like {@link because}, for a file that was to be written. SQLite does not tell when the cause is its folder or a
 * file beside it, so that these are looked at.
 */
export function becauseOfFile(
	what: string,
	error: unknown,
	file: string,
): StartError {
	const fault = besideFault(file);
	return fault === null || error instanceof StartError
		? because(what, error)
		: new StartError(`${what}: ${fault}`, 1);
}

/**
 * Why this user cannot write a database's file, or what SQLite keeps beside it.
 * @returns null when it can, as far as can be told
 */
export function writeFault(file: string): string | null {
	return accessFault(file) ?? besideFault(file);
}

/** Why this user cannot write beside a database: new files, or the log and shared memory that are there. */
function besideFault(file: string): string | null {
	return (
		folderFault(dirname(file))?.what ??
		accessFault(`${file}-wal`) ??
		accessFault(`${file}-shm`)
	);
}

/** Why a file cannot be written; null also when it is missing. */
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

/** Why a folder takes no files. */
export interface FolderFault {
	/** The operating system's error code, such as `EROFS`. */
	readonly code: string;
	readonly what: string;
}

/**
 * Looks whether a folder takes files.
 * @returns null when it does, as far as can be told
 */
export function folderFault(folder: string): FolderFault | null {
	try {
		accessSync(folder, constants.W_OK | constants.X_OK);
		return null;
	} catch (error) {
		const what = `folder ${folder} takes no files of this user: ${reasonOf(error)}`;
		return { code: codeOf(error), what };
	}
}
