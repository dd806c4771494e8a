import { openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import type { BackUp } from "../engine.ts";
import { existingDatabase } from "./database-file.ts";
import { hardLinkFault, mountFault } from "./database-lock.ts";
import { openReadOnly } from "./open-database.ts";
import { exists, requireFree, temporaryName, UnfinishedFile } from "./unfinished-file.ts";

/**
 * Copies a database in its current state, even while another process serves it. Only the owner of the copy
 * can read it.
 * @param source the file of the database
 * @param target an unused name
 * @param signal when it is aborted, the copy is deleted
 * @throws StartError if the source is missing or not a resort's database, or the target cannot be written;
 * NameTaken if the target exists
 */
export async function backUp(source: string, target: string, signal: AbortSignal): Promise<BackUp> {
	const file = existingDatabase(source);
	const path = resolve(target);
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
 * Copies a database as {@link backUp} does, but to a file without a name. The file disappears when its
 * descriptor is closed.
 * @param folder the folder in which the copy is written; null for the folder of the database
 * @returns the file descriptor of the copy
 */
export async function backUpNameless(
	source: string,
	folder: string | null,
	signal: AbortSignal,
): Promise<number> {
	const file = existingDatabase(source);
	const place = folder === null ? dirname(file) : resolve(folder);
	try {
		using copy = new UnfinishedFile(temporaryName(join(place, "resort-backup")));
		await writeCopy(file, copy, signal);
		return openSync(copy.path, "r");
	} catch (error) {
		const what = `cannot write a temporary copy of database ${file} in ${place}`;
		throw because(what, error);
	}
}

/**
 * Copies a database with its write-ahead log. Copying blocks the event loop, so an abort is noticed only
 * after the copy is complete.
 * @throws StartError if `signal` has been aborted
 */
async function writeCopy(file: string, copy: UnfinishedFile, signal: AbortSignal): Promise<void> {
	// A log lies next to the name under which the file is served, so without a log this may be another name.
	const hasLog = exists(`${file}-wal`);
	const fault = mountFault(file) ?? (hasLog ? null : hardLinkFault(file));
	if (fault !== null) throw new StartError(fault);
	using sqlite = openReadOnly(file);
	sqlite.run("VACUUM INTO ?", [copy.path]);
	await Bun.sleep(0);
	if (signal.aborted) throw new StartError("stopped: nothing was copied");
}
