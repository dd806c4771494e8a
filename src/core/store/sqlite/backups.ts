import { chmodSync, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import type { Access, BackUp, Restored } from "../engine.ts";
import { existingDatabase, realPath, requireSafeFolder, schemaInHeader } from "./database-file.ts";
import { hardLinkFault, lockFile, mountFault } from "./database-lock.ts";
import { contentFault } from "./examine-file.ts";
import { isBusy, openDatabase, openReadOnly, WRITABLE } from "./open-database.ts";
import { exists, PRIVATE, requireFree, sync, temporaryName, UnfinishedFile } from "./unfinished-file.ts";

/** How long to wait for a program that is reading the database. */
const BUSY_TIMEOUT_MS = 1_000;

/**
 * Copies a database in its current state, even while another process serves it. Only the owner of the copy
 * can read it.
 * @param from if its signal is aborted, the copy is deleted
 * @param target an unused name; null for a new name in `TMPDIR`, or else next to the database
 * @throws StartError if the source is not a resort's database, or the target cannot be written; NameTaken if
 * the target exists
 */
export async function backUp(
	{ database, environment, signal }: Access,
	target: string | null,
): Promise<BackUp> {
	const file = existingDatabase(database, "; set --database or --config as the instance has it");
	const folder = environment.TMPDIR || dirname(file);
	const path = resolve(target ?? temporaryName(join(folder, "resort-backup")));
	try {
		requireFree(path);
		using copy = new UnfinishedFile(temporaryName(path));
		await writeCopy(file, copy, signal);
		copy.renameToFree(path);
		return { path, bytes: statSync(path).size };
	} catch (error) {
		throw because(`cannot copy database ${file} to ${path}`, error);
	}
}

/**
 * Copies a database with its log. An abort is noticed only after the copy, because copying blocks the event
 * loop.
 * @throws StartError if `signal` has been aborted
 */
async function writeCopy(file: string, copy: UnfinishedFile, signal: AbortSignal): Promise<void> {
	// If there is no log next to `file`, another process may serve the database under another hard link, with
	// the log next to that link. The copy would lack the changes in that log.
	const hasLog = exists(`${file}-wal`);
	const fault = mountFault(file) ?? (hasLog ? null : hardLinkFault(file));
	if (fault !== null) throw new StartError(fault);
	using sqlite = openReadOnly(file);
	sqlite.run("VACUUM INTO ?", [copy.path]);
	await Bun.sleep(0);
	if (signal.aborted) throw new StartError("stopped: nothing was copied");
}

/**
 * Replaces a database with a copy of a backup. Keeps the replaced database in the same folder.
 * @param copy the file of the backup
 * @param database the file of the database, whose folder must exist
 * @throws StartError if the backup is damaged or its schema is unknown, if other users could replace the
 * backup or the database, or if another program has opened the database. The database is then unchanged
 */
export function restore(copy: string, database: string): Restored {
	const from = existingDatabase(copy);
	// `copy` may be a symbolic link. Other users must be unable to replace the link or its target.
	requireSafeFolder(dirname(copy));
	requireSafeFolder(dirname(from));
	const path = realPath(database);
	if (path === from) {
		throw new StartError(`${copy} is the database itself`);
	}
	try {
		using source = openReadOnly(from);
		const fault = contentFault(source);
		if (fault !== null)
			throw new StartError(`backup ${from} cannot be used: ${fault}; restore another backup`);
		using _lock = lockFile(path, "replace");
		const isNew = schemaInHeader(path) === null;
		const before = statSync(path, { throwIfNoEntry: false });
		using unfinished = new UnfinishedFile(temporaryName(path), before?.mode, before);
		source.run("VACUUM INTO ?", [unfinished.path]);
		const kept = isNew ? null : keep(path);
		// Deletes the logs of the replaced database, because SQLite would apply them to the restored file.
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

/** Keeps the database under a second name, which is returned. */
function keep(file: string): string {
	const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
	const kept = `${file}.before-restore-${time}.bak`;
	mergeLog(file);
	try {
		linkSync(file, kept);
	} catch {
		// Some file systems do not support hard links.
		copyFileSync(file, kept);
		sync(kept);
	}
	// If the log could not be merged, moves it next to the kept database, where SQLite will find it.
	for (const suffix of ["-wal", "-journal"]) {
		if (existsSync(file + suffix)) renameSync(file + suffix, kept + suffix);
	}
	try {
		// Only the owner may read the kept file, even if others were allowed to read the database.
		chmodSync(kept, statSync(kept).mode & PRIVATE);
	} catch {
		// The file belongs to another user, so its permissions cannot be changed.
	}
	return kept;
}

/**
 * Merges a database's log into its file, and deletes the log, unless the database is damaged.
 * @throws StartError if another program has opened the database, because later writes of that program would
 * be lost
 */
function mergeLog(file: string): void {
	try {
		using sqlite = openDatabase(file, WRITABLE);
		sqlite.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
		sqlite.run("PRAGMA journal_mode = DELETE");
	} catch (error) {
		// Accepts a damaged database, because damage is the usual reason for a restore.
		if (!isBusy(error)) return;
		throw new StartError(`database ${file} is open in another program; stop that program first`);
	}
}
