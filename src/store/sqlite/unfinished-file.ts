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
import { NameTaken } from "../../lib/start-error.ts";

/** The mode of new databases and copies. They contain private postcards. */
export const PRIVATE = 0o600;

/** The owner of a file. */
export type Owner = Pick<Stats, "uid" | "gid">;

/**
 * A file that has a temporary name until it is complete, so that its final name never refers to an incomplete file.
 * Disposing of it removes it, unless it was renamed, and SQLite's journal of it.
 */
export class UnfinishedFile implements Disposable {
	/**
	 * Creates the empty file, like {@link createFile}.
	 * @param path such as a {@link temporaryName}
	 */
	constructor(
		readonly path: string,
		mode = PRIVATE,
		owner?: Owner,
	) {
		createFile(path, mode, owner);
	}

	/** Flushes it to disk and gives it its final name. A file of this name is replaced. */
	rename(path: string): void {
		sync(this.path);
		renameSync(this.path, path);
		sync(dirname(path));
	}

	/**
	 * Like {@link rename}, but replaces nothing. Of two processes that want the same name, one gets it.
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
		for (const file of [this.path, `${this.path}-journal`]) {
			rmSync(file, { force: true });
		}
	}
}

/** Returns a free name for a file that is not complete. */
export function temporaryName(file: string): string {
	return `${file}.${crypto.randomUUID()}.tmp`;
}

/**
 * Creates an empty file. If this process is root's, it sets the owner, as SQLite does for the files beside a database.
 * @param path a free name
 * @param mode its permissions, which the umask reduces
 * @param owner by default that of the folder
 * @throws what the file system reports
 */
export function createFile(
	path: string,
	mode: number,
	owner: Owner = statSync(dirname(path)),
): void {
	const descriptor = openSync(path, "wx", mode & 0o777);
	try {
		if (process.geteuid?.() === 0) {
			fchownSync(descriptor, owner.uid, owner.gid);
		}
	} catch {
		// Root may not be allowed to change owners, as in a container. A user who then cannot open the file gets an error.
	} finally {
		closeSync(descriptor);
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

/** Whether a file, a folder or a link exists at a path. */
export function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** @throws NameTaken if there is a file, a folder or a link of this name */
export function requireFree(path: string): void {
	if (exists(path)) throw new NameTaken(path);
}
