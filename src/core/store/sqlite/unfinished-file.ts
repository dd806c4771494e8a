import {
	closeSync,
	fchownSync,
	fsyncSync,
	lstatSync,
	openSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../lib/error-reason.ts";
import { NameTaken, StartError } from "../../lib/start-error.ts";

/** The file mode of new databases and copies, which contain private postcards. */
export const PRIVATE = 0o600;

/** The owner of a file. */
export type Owner = Pick<Stats, "uid" | "gid">;

/**
 * A file that is not complete yet, usually with a temporary name. Disposing of this object deletes the files
 * that SQLite has created beside it, such as its journal, and the file itself unless it was renamed.
 */
export class UnfinishedFile implements Disposable {
	/** Creates the empty file with {@link createFile}. `path` is, for example, a {@link temporaryName}. */
	constructor(
		readonly path: string,
		mode = PRIVATE,
		owner?: Owner,
	) {
		createFile(path, mode, owner);
	}

	/** Flushes the file to disk and gives it its final name. An existing file is replaced. */
	rename(path: string): void {
		sync(this.path);
		renameSync(this.path, path);
		sync(dirname(path));
	}

	/**
	 * Renames the file as {@link rename} does, but never replaces a file. If two processes choose the same
	 * name, only the first one succeeds.
	 * @throws NameTaken
	 */
	renameToFree(path: string): void {
		try {
			closeSync(openSync(path, "wx"));
		} catch (error) {
			throw codeOf(error) === "EEXIST" ? new NameTaken(path) : error;
		}
		this.rename(path);
	}

	[Symbol.dispose](): void {
		for (const suffix of ["", "-journal", "-wal", "-shm"]) {
			rmSync(this.path + suffix, { force: true });
		}
	}
}

/** Returns an unused name for an incomplete file. */
export function temporaryName(file: string): string {
	return `${file}.${crypto.randomUUID()}.tmp`;
}

/**
 * Creates an empty file. If this process runs as root, sets the owner of the file, as SQLite does for its
 * files next to a database.
 * @param path an unused path
 * @param mode the permissions, from which the umask is subtracted
 * @param owner by default the owner of the folder
 * @throws errors of the file system
 */
export function createFile(path: string, mode: number, owner: Owner = statSync(dirname(path))): void {
	const descriptor = openSync(path, "wx", mode & 0o777);
	try {
		if (process.geteuid?.() === 0) {
			fchownSync(descriptor, owner.uid, owner.gid);
		}
	} catch {
		// Ignores the error: even root cannot always change owners, for example in a container. A user who then
		// cannot open the file gets an error.
	} finally {
		closeSync(descriptor);
	}
}

/** Flushes a file, or the entries of a folder, to disk. @throws errors of the file system */
export function sync(path: string): void {
	const descriptor = openSync(path, "r");
	fsyncSync(descriptor);
	closeSync(descriptor);
}

/** Whether a file, a folder or a link exists at a path. */
export function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @throws NameTaken if the name exists; StartError if SQLite could not open a file with this name */
export function requireFree(path: string): void {
	requireExactName(path);
	if (exists(path)) throw new NameTaken(path);
}

/**
 * Returns the path.
 * @throws StartError for a path that `bun:sqlite` would change, because it trims white space
 */
export function requireExactName(path: string): string {
	if (path === path.trim()) return path;
	throw new StartError(
		`${JSON.stringify(path)} ends with white space, which SQLite ignores: rename the file`,
	);
}
