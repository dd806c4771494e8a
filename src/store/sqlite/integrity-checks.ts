import { constants, type Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf } from "../../lib/error-reason.ts";
import { StartError } from "../../lib/start-error.ts";
import { folderFault, isOnReadOnlyDisk } from "./database-file.ts";
import {
	isBusy,
	openDatabase,
	READ_ONLY,
	readCell,
	readRows,
} from "./open-database.ts";

/** How long a read waits while another process recovers the log of one that was killed. */
const BUSY_TIMEOUT_MS = 5_000;

/** Flags to open a file that does not change (https://www.sqlite.org/uri.html). */
const IMMUTABLE = READ_ONLY | constants.SQLITE_OPEN_URI;

/** The error for a database that another process has opened in exclusive mode. */
export function heldAlone(file: string): StartError {
	return new StartError(
		`database ${file} cannot be read: another program holds it alone, as a resort does that was started on a full disk; make room and restart it`,
		1,
	);
}

/**
 * Opens a database that may be in use, without writing to it or merging its log. On a read-only file system nobody can
 * write the database, so one without a log needs no shared memory beside it.
 * @param file its real path
 * @throws StartError if SQLite cannot keep its shared memory beside it or another program holds it alone,
 * SQLiteError if it cannot be opened
 */
export function openReadOnly(file: string): Database {
	const folder = dirname(file);
	const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
	const isImmutable = isOnReadOnlyDisk(folder) && !log?.size;
	const sqlite = isImmutable
		? openDatabase(`${Bun.pathToFileURL(file)}?immutable=1`, IMMUTABLE)
		: openDatabase(file, READ_ONLY);
	try {
		sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
		readCell(sqlite, "PRAGMA schema_version");
		return sqlite;
	} catch (error) {
		// The caller's checks find damaged content.
		if (!isBusy(error) && !/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error))) {
			return sqlite;
		}
		sqlite.close();
		if (isBusy(error)) throw heldAlone(file);
		const fault = folderFault(folder);
		if (fault === null) throw error;
		throw new StartError(
			`database ${file} cannot be read where it is, as SQLite keeps a file beside it: ${fault}; copy it and its -wal to another folder, or run this as the user that serves it`,
			1,
		);
	}
}

/** Returns the schema version of an open database, its write-ahead log included. */
export function schemaVersion(sqlite: Database): number {
	return Number(readCell(sqlite, "PRAGMA user_version") ?? 0);
}

/** Searches the whole file for damage. Returns the first one in SQLite's words, on one line; null if there is none. */
export function findDamage(sqlite: Database): string | null {
	try {
		const result = String(readCell(sqlite, "PRAGMA integrity_check(1)"));
		return result === "ok" ? null : result.replaceAll(/\s+/g, " ");
	} catch (error) {
		return messageOf(error);
	}
}

/** Reports how many rows refer to a row that does not exist; null if none does. */
export function findOrphans(sqlite: Database): string | null {
	const orphans = readRows(sqlite, "PRAGMA foreign_key_check").length;
	return orphans === 0 ? null : `references that lead nowhere: ${orphans}`;
}
