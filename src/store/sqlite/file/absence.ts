import { statSync } from "node:fs";
import { StartError } from "../../../lib/start-error.ts";
import { realPath } from "./file.ts";
import { isServed } from "./lock.ts";

/**
 * Tells that a missing database was moved or removed rather than never made: a process still serves it, or its
 * write-ahead log was left behind.
 * @param path where the database should be; its folder takes files
 * @returns the sign of it, as a line for a person; null when there is none
 * @throws StartError, SQLiteError, or what the file system reports, when that cannot be told
 */
export function traceOfAbsent(path: string): string | null {
	const file = placeOf(path);
	if (file === null) return null;
	if (isServed(file)) {
		return `${path} is not there, but a process serves it: it was moved or removed meanwhile, and writes answer 503; put it back, or stop that process`;
	}
	const log = `${file}-wal`;
	const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
	if (size === 0) return null;
	return `${path} is not there, but ${log} is, which holds its last writes: bring the two together again; resort serve would make an empty database and drop them`;
}

/** Where a database would be made; null where none can be, as behind a link to a folder that is not there. */
function placeOf(path: string): string | null {
	try {
		return realPath(path);
	} catch (error) {
		if (error instanceof StartError) return null;
		throw error;
	}
}
