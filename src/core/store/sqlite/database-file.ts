import {
	accessSync,
	closeSync,
	constants,
	existsSync,
	openSync,
	readlinkSync,
	readSync,
	realpathSync,
	type Stats,
	statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { codeOf, reasonOf } from "../../lib/error-reason.ts";
import { because, StartError } from "../../lib/start-error.ts";
import { exists, requireExactName } from "./unfinished-file.ts";

/** The `PRAGMA application_id` of a resort's database: "RSRT". */
export const APPLICATION_ID = 0x52535254;

/** The length of a write-ahead log that contains no changes. */
const LOG_HEADER_BYTES = 32;

/** The position of the journal mode in a database file's header, and the value for WAL mode. */
export const JOURNAL_BYTE = 18;
export const WAL_MODE = 2;

/** The mode bits of stat(2) that determine who may create, rename and delete the files in a folder. */
const STICKY = 0o1000;
const GROUP_OR_OTHERS_WRITE = 0o022;

const ROOT = 0;

/**
 * Returns the real path of a file that exists or can be created. All symbolic links to a file have the same
 * real path, and thus share one lock.
 * @throws StartError if the file cannot be created or written, or if other users could replace the file or a
 * link to it
 */
export function realPath(path: string): string {
	try {
		// If the path is a link, other users must not be able to replace the link either.
		requireSafeFolder(dirname(path));
		if (statSync(path, { throwIfNoEntry: false }) !== undefined) {
			accessSync(path, constants.W_OK);
			return requireExactName(realpathSync(path));
		}
		const folder = realpathSync(dirname(path));
		const isLinkToMissing = exists(path);
		if (isLinkToMissing) return realPath(resolve(folder, readlinkSync(path)));
		accessSync(folder, constants.W_OK | constants.X_OK);
		return requireExactName(join(folder, basename(path)));
	} catch (error) {
		// The advice is about the folder of the file, not of a link to it.
		throw cannotOpen(existsSync(path) ? realpathSync(path) : path, error);
	}
}

/**
 * Returns the real path of an existing database.
 * @param advice the end of the message about a missing file
 * @throws StartError if the file is missing, empty, or not a resort's database
 */
export function existingDatabase(path: string, advice = ""): string {
	try {
		if (!exists(path)) throw new StartError(`${path} does not exist${advice}`);
		const file = realpathSync(path);
		if (schemaInHeader(file)) return file;
		throw new StartError(`database ${file} is empty`);
	} catch (error) {
		throw because(`database ${path} cannot be read`, error);
	}
}

/**
 * Reads the schema version from a file's header (https://www.sqlite.org/fileformat.html, 1.3), without
 * opening the database; null for a missing or empty file. The write-ahead log may contain a newer version.
 * @throws StartError if the file is not a resort's database or cannot be read
 */
export function schemaInHeader(file: string): number | null {
	const header = readHeader(file);
	if (header.length === 0) return null;
	const magic = header.toString("latin1", 0, 16);
	if (header.length < 100 || magic !== "SQLite format 3\0") {
		throw new StartError(`database ${file} is not a SQLite database`);
	}
	if (header.readUInt32BE(68) !== APPLICATION_ID) {
		throw new StartError(`database ${file} is not a resort's database`);
	}
	return header.readUInt32BE(60);
}

/** Whether there are changes in the write-ahead log next to a file. */
export function hasLog(file: string): boolean {
	const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
	return log !== undefined && log.size > LOG_HEADER_BYTES;
}

/** Returns the first 100 bytes of a file, or fewer if it is shorter or missing. @throws StartError */
export function readHeader(file: string): Buffer {
	const header = Buffer.alloc(100);
	if (!exists(file)) return header.subarray(0, 0);
	try {
		const descriptor = openSync(file, "r");
		try {
			return header.subarray(0, readSync(descriptor, header));
		} finally {
			closeSync(descriptor);
		}
	} catch (error) {
		throw because(`database ${file} cannot be read`, error);
	}
}

/** Returns the error for a database that cannot be opened or written. */
export function cannotOpen(file: string, error: unknown): StartError {
	return fileError(`database ${file} cannot be opened or written`, error, file);
}

/**
 * Creates an error like {@link because}, for a file that could not be opened or written. Searches for the
 * cause, because SQLite does not report whether the file, its folder or a file next to it is at fault.
 */
export function fileError(what: string, error: unknown, file: string): StartError {
	const fault = writeFault(file);
	return fault === null || error instanceof StartError
		? because(what, error)
		: new StartError(`${what}: ${fault}`);
}

/**
 * Returns why the user of this process cannot write a database file or the files next to it, and what to do;
 * null if no reason is found.
 */
export function writeFault(file: string): string | null {
	const fault = folderFault(dirname(file));
	if (fault !== null) return fault;
	for (const path of [file, `${file}-wal`, `${file}-shm`, `${file}-lock`]) {
		const error = accessError(path, constants.W_OK);
		if (error !== null && codeOf(error) !== "ENOENT") {
			return `${path} cannot be written by this user: ${adviceOn(error, dirname(path))}`;
		}
	}
	return null;
}

/** Returns why this user cannot create files in a folder, and what to do; null if no reason is found. */
export function folderFault(folder: string): string | null {
	const error = accessError(folder, constants.W_OK | constants.X_OK);
	return error && `this user cannot create files in folder ${folder}: ${adviceOn(error, folder)}`;
}

/** Returns the reason of an error, and the commands that remove it if permissions are missing. */
function adviceOn(error: Error, name: string): string {
	if (codeOf(error) !== "EACCES") return reasonOf(error);
	const folder = resolve(name);
	return `${reasonOf(error)}; run this as the user that runs the instance, or sudo chown -R resort: ${folder} && sudo chmod -R u+rwX ${folder}`;
}

function accessError(path: string, mode: number): Error | null {
	try {
		accessSync(path, mode);
		return null;
	} catch (error) {
		return error as Error;
	}
}

/**
 * Whether other users can replace a file in a folder. They can if the group or everybody may write to the
 * folder, unless the sticky bit of the folder restricts users to their own files, as in /tmp.
 *
 * A folder of this user or of root is trusted, because container platforms provide volumes as folders of root
 * that everybody can write to. Root may use any folder, because volumes often belong to another user id. The
 * owners of the parent folders are trusted too.
 * @param user the effective user id of this process
 */
export function mayOthersReplace(folder: Pick<Stats, "uid" | "mode">, user: number): boolean {
	if (user === ROOT || folder.uid === ROOT || folder.uid === user) return false;
	return (folder.mode & GROUP_OR_OTHERS_WRITE) !== 0 && (folder.mode & STICKY) === 0;
}

/**
 * Returns why a folder is not safe for a database or a copy; null if it is safe, or if the system has no user
 * ids.
 * @throws errors of the file system
 */
export function unsafeFolderFault(folder: string): string | null {
	const user = process.geteuid?.();
	if (user === undefined || !mayOthersReplace(statSync(folder), user)) {
		return null;
	}
	return `others may replace the files in folder ${folder}, which belongs to another user: make this user its owner (chown), or remove write permission for group and others (chmod go-w)`;
}

/** @throws StartError if other users can replace files in the folder; errors of the file system */
export function requireSafeFolder(folder: string): void {
	const fault = unsafeFolderFault(folder);
	if (fault !== null) throw new StartError(fault);
}
