import { constants, type Database } from "bun:sqlite";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf } from "../../../lib/error-reason.ts";
import { StartError } from "../../../lib/start-error.ts";
import { isBusy } from "../writer.ts";
import { folderFault } from "./file.ts";
import { openDatabase, READ_ONLY } from "./open.ts";
import { readCell, readRows } from "./read.ts";

/** How long a read waits while another process recovers the log of one that has just died. */
const BUSY_TIMEOUT_MS = 5_000;

/** How a file that does not change is opened (https://www.sqlite.org/uri.html). */
const IMMUTABLE = READ_ONLY | constants.SQLITE_OPEN_URI;

/** The columns of past moments; those that tell when something ends may lie in the future. */
const PAST_COLUMNS = [
	"created_at",
	"last_active",
	"deactivated_at",
	"checked_in_at",
	"checked_out_at",
	"activity_started_at",
	"started_at",
	"archived_at",
];

/**
 * Opens a database that may be in use: it writes nothing and merges no log. On a read-only file system nobody can
 * write the database, so one without a log needs no shared memory beside it.
 * @param file its one true path
 * @throws StartError when SQLite cannot keep its shared memory beside it or another program holds it alone,
 * SQLiteError when it cannot be opened
 */
export function openReadOnly(file: string): Database {
	const fault = folderFault(dirname(file));
	const isAtRest = fault?.code === "EROFS" && !hasLog(file);
	const sqlite = isAtRest
		? openDatabase(`${Bun.pathToFileURL(file)}?immutable=1`, IMMUTABLE)
		: openDatabase(file, READ_ONLY);
	try {
		sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
		readCell(sqlite, "PRAGMA schema_version");
		return sqlite;
	} catch (error) {
		if (isBusy(error)) {
			sqlite.close();
			throw new StartError(
				`database ${file} cannot be read: another program holds it alone, as a resort does that was started on a full disk; make room and restart it`,
				1,
			);
		}
		// A fault of the content is left to the checks.
		if (!/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error))) return sqlite;
		sqlite.close();
		if (fault === null) throw error;
		throw new StartError(
			`database ${file} cannot be read where it is, as SQLite keeps a file beside it: ${fault.what}; copy it and its -wal to another folder, or run this as the user that serves it`,
			1,
		);
	}
}

/** Whether there is a write-ahead log with something in it. */
function hasLog(file: string): boolean {
	return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** The schema version of an open database, its write-ahead log included. */
export function schemaVersion(sqlite: Database): number {
	return Number(readCell(sqlite, "PRAGMA user_version") ?? 0);
}

/**
 * Looks for damage in the whole file.
 * @returns the first damage found, in SQLite's words on one line; null when there is none
 */
export function findDamage(sqlite: Database): string | null {
	try {
		const found = String(readCell(sqlite, "PRAGMA integrity_check(1)"));
		return found === "ok" ? null : found.replaceAll(/\s+/g, " ");
	} catch (error) {
		return messageOf(error);
	}
}

/** How many rows refer to a row that is not there. */
export function countOrphans(sqlite: Database): number {
	return readRows(sqlite, "PRAGMA foreign_key_check").length;
}

/**
 * The newest moment at which anything happened, in whatever tables there are.
 * @returns milliseconds since the epoch; null when nothing has happened yet
 */
export function newestMomentMs(sqlite: Database): number | null {
	const columns = readRows<{ table: string; name: string }>(
		sqlite,
		`SELECT t.name AS "table", c.name FROM sqlite_schema t, pragma_table_info(t.name) c
		WHERE t.type = 'table' AND c.name IN ('${PAST_COLUMNS.join("', '")}')`,
	);
	const moments = columns
		.map(({ table, name }) => `SELECT max("${name}") AS at FROM "${table}"`)
		.join(" UNION ALL ");
	if (moments === "") return null;
	const newest = readCell(sqlite, `SELECT max(at) FROM (${moments})`);
	return typeof newest === "number" ? newest : null;
}
