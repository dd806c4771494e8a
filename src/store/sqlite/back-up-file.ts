import { closeSync, openSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { because, StartError } from "../../lib/start-error.ts";
import type { BackUp, NamelessBackUp } from "../engine.ts";
import {
	createFile,
	existingDatabase,
	moveToFreeName,
	PRIVATE,
	removeUnfinished,
	requireFree,
	sync,
	unfinishedName,
} from "./database-file.ts";
import { openReadOnly } from "./integrity-checks.ts";

/**
 * Copies a database as it is at this moment, also while another process serves it. Only the owner of the copy can read
 * it.
 * @param source its file
 * @param target a free name, under which there is never an incomplete copy
 * @param signal keeps the copy from getting its name
 * @throws StartError if the source is missing or not a resort's, or the target cannot be written; NameTaken if it
 * exists
 */
export async function backUp(
	source: string,
	target: string,
	signal: AbortSignal,
): Promise<BackUp> {
	const file = existingDatabase(source);
	const path = resolve(target);
	const unfinished = unfinishedName(path);
	try {
		requireFree(path);
		const bytes = await copyOf(file, unfinished, signal);
		moveToFreeName(unfinished, path);
		sync(dirname(path));
		return { path, bytes };
	} catch (error) {
		removeUnfinished(unfinished);
		throw because(`cannot copy database ${file} to ${path}`, error);
	}
}

/**
 * Like {@link backUp}, but the copy loses its name, so that nothing is left once it is closed.
 * @param folder where it is written; null for the database's folder
 */
export async function backUpNameless(
	source: string,
	folder: string | null,
	signal: AbortSignal,
): Promise<NamelessBackUp> {
	const file = existingDatabase(source);
	const place = folder === null ? dirname(file) : resolve(folder);
	const unfinished = unfinishedName(join(place, "resort-backup"));
	try {
		const bytes = await copyOf(file, unfinished, signal);
		const descriptor = openSync(unfinished, "r");
		// Some systems keep the name of a file that is open.
		removeUnfinished(unfinished);
		return {
			descriptor,
			bytes,
			[Symbol.dispose]() {
				closeSync(descriptor);
				removeUnfinished(unfinished);
			},
		};
	} catch (error) {
		removeUnfinished(unfinished);
		const what = `cannot write a temporary copy of database ${file} in ${place}`;
		throw because(what, error);
	}
}

/** Writes a private copy. Copying blocks the event loop, so a signal is delivered only afterwards. */
async function copyOf(
	file: string,
	target: string,
	signal: AbortSignal,
): Promise<number> {
	const bytes = writeCopy(file, target, PRIVATE, statSync(dirname(target)));
	await Bun.sleep(0);
	if (signal.aborted) throw new StartError("stopped: nothing was copied", 1);
	return bytes;
}

/**
 * Copies a database, its write-ahead log included, and flushes the copy to disk.
 * @param target a free name
 * @param mode the permissions of the copy
 * @param owner the owner of the copy if root creates it
 * @returns the size of the copy in bytes
 * @throws SQLiteError, or what the file system reports
 */
export function writeCopy(
	file: string,
	target: string,
	mode: number,
	owner: Pick<Stats, "uid" | "gid">,
): number {
	const sqlite = openReadOnly(file);
	try {
		// VACUUM INTO accepts an empty file. Creating it here ensures that it is new and has its permissions from the
		// start.
		createFile(target, mode, owner);
		sqlite.run("VACUUM INTO ?", [target]);
	} finally {
		sqlite.close();
	}
	sync(target);
	return statSync(target).size;
}
