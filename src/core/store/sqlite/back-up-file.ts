import { statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import type { Access, BackUp } from "../engine.ts";
import { existingDatabase } from "./database-file.ts";
import { hardLinkFault, mountFault } from "./database-lock.ts";
import { openReadOnly } from "./open-database.ts";
import { exists, requireFree, temporaryName, UnfinishedFile } from "./unfinished-file.ts";

/**
 * Copies a database in its current state, even while another process serves it. Only the owner of the copy
 * can read it.
 * @param from if its signal is aborted, the copy is deleted
 * @param target an unused name; null for a new name in the folder `TMPDIR`, or else next to the database
 * @throws StartError if the source is missing or not a resort's database, or the target cannot be written;
 * NameTaken if the target exists
 */
export async function backUp(
	{ database, environment, signal }: Access,
	target: string | null,
): Promise<BackUp> {
	const file = existingDatabase(database);
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
