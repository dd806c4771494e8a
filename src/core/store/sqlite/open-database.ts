import { constants, Database } from "bun:sqlite";
import { codeOf, messageOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import { APPLICATION_ID, fileError, hasLog } from "./database-file.ts";
import { requireOwnLog } from "./log-owner.ts";
import { requireExactName } from "./unfinished-file.ts";

/** The time for which a read waits while another process recovers the log of a killed process. */
const BUSY_TIMEOUT_MS = 5_000;

/** The flags for opening an existing file, without following a symbolic link that has replaced it. */
export const WRITABLE = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_NOFOLLOW;
const READ_ONLY = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_NOFOLLOW;

/** The pragmas of the connections that {@link openWritable} opens. The benchmark uses the same pragmas. */
export const pragmas = [
	"trusted_schema = OFF",
	"busy_timeout = 5000",
	"journal_mode = WAL",
	"synchronous = FULL",
	"foreign_keys = ON",
	"secure_delete = ON",
	"temp_store = MEMORY",
	// A cache of 32 MiB. A memory map would be as fast, but it would turn a disk error into SIGBUS, which ends
	// the process.
	"cache_size = -32768",
	"wal_autocheckpoint = 8000",
] as const;

/**
 * Opens a database. The file may be untrusted, so its schema must not call functions that have effects
 * outside the database (https://www.sqlite.org/security.html).
 * @param path the real path of a file, or `:memory:`
 * @param flags the flags of sqlite3_open_v2
 * @throws SQLiteError; StartError if SQLite would open a file with another name, or apply the log of another
 * database
 */
export function openDatabase(path: string, flags: number): Database {
	requireOwnLog(path);
	const sqlite = new Database(requireExactName(path), flags);
	sqlite.run("PRAGMA trusted_schema = OFF");
	return sqlite;
}

/**
 * Opens a database for writing. SQLite keeps the index of the log in a file that it shares with other
 * programs. If a full disk has no room for this file, the index is kept in memory: reads work at once, and
 * writes as soon as there is room, but no other program can open the database until this process closes it.
 * @param path the real path of a file, or `:memory:`
 * @param isAlone whether the index is kept in memory
 * @throws SQLiteError
 */
export function openWritable(path: string, isAlone = false): Database {
	const sqlite = openDatabase(path, WRITABLE);
	try {
		// Keeps the index of the log in memory. This works only until the connection first uses the log: from
		// then on, it uses the shared file for the index (https://www.sqlite.org/wal.html).
		if (isAlone) sqlite.run("PRAGMA locking_mode = EXCLUSIVE");
		// Sets the id before WAL mode, so that the file itself contains the id, not only its log. A file without
		// pages is new, or its creation was interrupted.
		if (readCell(sqlite, "PRAGMA page_count") === 0) {
			sqlite.run(`PRAGMA application_id = ${APPLICATION_ID}`);
		}
		for (const pragma of pragmas) sqlite.run(`PRAGMA ${pragma}`);
		return sqlite;
	} catch (error) {
		sqlite.close();
		if (isAlone || codeOf(error) !== "SQLITE_IOERR_SHMSIZE") throw error;
		return openWritable(path, true);
	}
}

/**
 * Runs a query once. Finalizes the statement, because an open one prevents closing the connection.
 * @throws SQLiteError
 */
export function readRows<T>(sqlite: Database, query: string): T[] {
	using statement = sqlite.prepare<T, []>(query);
	return statement.all();
}

/** Runs a query once. Returns the first column of the first row, if there is one. @throws SQLiteError */
export function readCell(sqlite: Database, query: string): unknown {
	using statement = sqlite.prepare<unknown[], []>(query);
	return statement.values()[0]?.[0];
}

/** Whether an error means that another connection holds a lock which the statement needs. */
export function isBusy(error: unknown): boolean {
	return codeOf(error).startsWith("SQLITE_BUSY");
}

/** Whether an error means that the content of the database is damaged. */
export function isDamage(error: unknown): boolean {
	return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
}

/**
 * Requires that a database is sound if it has a log, because SQLite would merge even the log of another
 * database into it. Reading the whole database takes about 4 s for each gigabyte, but is needed only after a
 * crash, because a closed database has no log.
 * @throws StartError if the database is damaged; it is then unchanged
 */
export function requireFittingLog(file: string): void {
	if (!hasLog(file)) return;
	using sqlite = openReadOnly(file);
	const damage = findDamage(sqlite);
	// A disk I/O error is not damage: on a full disk, SQLite cannot read a log whose index is missing (see
	// {@link openWritable}).
	if (damage === null || damage === "disk I/O error") return;
	throw new StartError(
		`database ${file} is damaged, or its log belongs to another database (${damage}): run resort restore BACKUP --database '${file}'`,
	);
}

/** Creates the error for a database that another process has opened in exclusive mode. */
export function heldAlone(file: string): StartError {
	return new StartError(
		`database ${file} cannot be read: another program has locked it, perhaps an instance that was started on a full disk; free disk space and restart the instance`,
	);
}

/**
 * Opens a database that may be in use, without writing to it or merging its log.
 * @param file the real path of the file
 * @throws StartError if SQLite cannot create its shared memory next to the file, or another program has
 * opened it in exclusive mode; SQLiteError
 */
export function openReadOnly(file: string): Database {
	const sqlite = openDatabase(file, READ_ONLY);
	try {
		sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
		readCell(sqlite, "PRAGMA schema_version");
		return sqlite;
	} catch (error) {
		// Returns the connection after any other error: damaged content causes such errors, and the caller's
		// checks report the damage.
		if (!isBusy(error) && !/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error))) {
			return sqlite;
		}
		sqlite.close();
		if (isBusy(error)) throw heldAlone(file);
		throw fileError(
			`database ${file} cannot be read where it is; copy it and its -wal to another folder`,
			error,
			file,
		);
	}
}

/** Returns the schema version of an open database. Changes in its write-ahead log count. */
export function schemaVersion(sqlite: Database): number {
	return numberOf(sqlite, "user_version");
}

/** Returns the bytes in use. Pages that deleted rows have left free do not count: new rows reuse them. */
export function usedBytes(sqlite: Database): number {
	const pages = numberOf(sqlite, "page_count") - numberOf(sqlite, "freelist_count");
	return pages * numberOf(sqlite, "page_size");
}

function numberOf(sqlite: Database, pragma: string): number {
	return Number(readCell(sqlite, `PRAGMA ${pragma}`) ?? 0);
}

/** Searches the whole file for damage. Returns SQLite's first message on one line; null if there is none. */
export function findDamage(sqlite: Database): string | null {
	try {
		const result = String(readCell(sqlite, "PRAGMA integrity_check(1)"));
		return result === "ok" ? null : result.replaceAll(/\s+/g, " ");
	} catch (error) {
		return messageOf(error);
	}
}

/** Reports the number of rows that refer to a missing row; null if there are none. */
export function findOrphans(sqlite: Database): string | null {
	const orphans = readRows(sqlite, "PRAGMA foreign_key_check").length;
	return orphans === 0 ? null : `broken references: ${orphans}`;
}
