import {
	chmodSync,
	copyFileSync,
	existsSync,
	linkSync,
	renameSync,
	rmSync,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import type { Restored } from "../engine.ts";
import {
	existingDatabase,
	realPath,
	requireSafeFolder,
	schemaInHeader,
} from "./database-file.ts";
import { lockFile } from "./database-lock.ts";
import { openSound } from "./examine-file.ts";
import { isBusy, openDatabase, WRITABLE } from "./open-database.ts";
import {
	PRIVATE,
	sync,
	temporaryName,
	UnfinishedFile,
} from "./unfinished-file.ts";

/** How long to wait for a program that reads the database. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Replaces a database by a copy of a backup, and keeps the replaced database beside it.
 * @param copy the backup
 * @param database the database's file, whose folder exists
 * @throws StartError if the backup is not a sound database of a schema that this program knows, others may replace
 * the backup or the database, or another program has the database open; then nothing has changed
 */
export function restore(copy: string, database: string): Restored {
	const from = existingDatabase(copy);
	// `copy` may be a symbolic link: others must be able to replace neither the link nor its target.
	requireSafeFolder(dirname(copy));
	requireSafeFolder(dirname(from));
	const path = realPath(database);
	if (path === from) {
		throw new StartError(`${copy} is the database itself`);
	}
	try {
		using source = openSound(from, ["ok", "warn"]);
		using _lock = lockFile(path, "replace");
		const isNew = schemaInHeader(path) === null;
		const before = statSync(path, { throwIfNoEntry: false });
		using unfinished = new UnfinishedFile(
			temporaryName(path),
			before?.mode,
			before,
		);
		source.run("VACUUM INTO ?", [unfinished.path]);
		const kept = isNew ? null : keep(path);
		// SQLite would apply an old log to the copy.
		for (const suffix of ["-wal", "-shm", "-journal"]) {
			rmSync(path + suffix, { force: true });
		}
		sync(dirname(path));
		unfinished.rename(path);
		return { path, kept };
	} catch (error) {
		throw because(`cannot restore ${from} to ${path}`, error);
	}
}

/** Keeps a database under a second name, and returns that name. */
function keep(file: string): string {
	const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
	const kept = `${file}.before-restore-${time}.bak`;
	mergeLog(file);
	try {
		linkSync(file, kept);
	} catch {
		// Not every file system has hard links.
		copyFileSync(file, kept);
		sync(kept);
	}
	// A log that could not be merged belongs to the kept database, beside which SQLite finds it under these names.
	for (const suffix of ["-wal", "-journal"]) {
		if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
	}
	try {
		// The kept file is private, even if others were allowed to read the database while it was served.
		chmodSync(kept, statSync(kept).mode & PRIVATE);
	} catch {
		// The file belongs to another user: its permissions stay those of the database.
	}
	return kept;
}

/**
 * Merges a database's log into its file, and removes the log.
 * @throws StartError if another program has the database open: what it writes would be lost
 */
function mergeLog(file: string): void {
	try {
		using sqlite = openDatabase(file, WRITABLE);
		sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
		sqlite.run("PRAGMA journal_mode = DELETE");
	} catch (error) {
		// A damaged database is no obstacle: it is the usual reason for a restore. Its log is kept beside it, not merged.
		if (!isBusy(error)) return;
		throw new StartError(
			`database ${file} is open in another program; stop that program first`,
		);
	}
}
