import { constants, Database } from "bun:sqlite";
import { codeOf } from "../../../lib/error-reason.ts";
import { pragmas } from "../pragmas.ts";
import { APPLICATION_ID } from "./file.ts";
import { readCell } from "./read.ts";

/**
 * How an existing file is opened to be written. SQLite follows no link in the name, not even one that is put there
 * meanwhile.
 */
export const WRITABLE =
	constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_NOFOLLOW;

/** How an existing file is opened to be read; no link is followed. */
export const READ_ONLY =
	constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_NOFOLLOW;

/** A database that was opened to be served. */
export interface Opened {
	readonly sqlite: Database;
	/** Whether no other program can read it meanwhile, because the disk was full. */
	readonly isAlone: boolean;
}

/**
 * Opens a database. Its schema may have come from somebody else, so it may not use functions that reach outside the
 * database (https://www.sqlite.org/security.html).
 * @param path the one true path of a file, a URI, or `:memory:`
 * @param flags those of sqlite3_open_v2
 * @throws SQLiteError
 */
export function openDatabase(path: string, flags: number): Database {
	const sqlite = new Database(path, flags);
	sqlite.run("PRAGMA trusted_schema = OFF");
	return sqlite;
}

/**
 * Opens a database as it is served. SQLite keeps the index of the write-ahead log in a file beside it, which
 * other programs share. On a full disk there is no room for that file. Then the index is kept in memory, so
 * that reads are answered, and writes again once there is room; other programs have to wait until the
 * next start.
 * @param path the one true path of a file, or `:memory:`
 * @throws SQLiteError
 */
export function openToServe(path: string): Opened {
	try {
		return { sqlite: openAndSet(path, []), isAlone: false };
	} catch (error) {
		if (codeOf(error) !== "SQLITE_IOERR_SHMSIZE") throw error;
		// The mode has an effect only on a connection that has not yet looked for that file: therefore a new one.
		const alone = ["locking_mode = EXCLUSIVE"];
		return { sqlite: openAndSet(path, alone), isAlone: true };
	}
}

function openAndSet(path: string, first: readonly string[]): Database {
	const sqlite = openDatabase(path, WRITABLE);
	try {
		for (const pragma of first) sqlite.run(`PRAGMA ${pragma}`);
		// Before WAL mode, so that the id is in the file's own first page and not only in the log.
		if (isEmpty(sqlite)) {
			sqlite.run(`PRAGMA application_id = ${APPLICATION_ID}`);
		}
		for (const pragma of pragmas) sqlite.run(`PRAGMA ${pragma}`);
		return sqlite;
	} catch (error) {
		sqlite.close();
		throw error;
	}
}

/** Whether a database has no page yet, as also after a first start that was cut off and rolled back. */
function isEmpty(sqlite: Database): boolean {
	return readCell(sqlite, "PRAGMA page_count") === 0;
}
