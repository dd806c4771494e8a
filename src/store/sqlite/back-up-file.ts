import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
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
		const owner = statSync(dirname(path));
		const bytes = writeCopy(file, unfinished, PRIVATE, owner);
		await requireNotAborted(signal);
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
 * @throws StartError if the source is missing or not a resort's, or the copy cannot be written
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
		writeCopy(file, unfinished, PRIVATE, statSync(place));
		await requireNotAborted(signal);
		const descriptor = openSync(unfinished, "r");
		// Some systems keep the name of a file that is open.
		removeUnfinished(unfinished);
		return {
			descriptor,
			bytes: fstatSync(descriptor).size,
			[Symbol.dispose]() {
				closeSync(descriptor);
				removeUnfinished(unfinished);
			},
		};
	} catch (error) {
		removeUnfinished(unfinished);
		throw because(
			`cannot write a temporary copy of database ${file} in ${place}`,
			error,
		);
	}
}

/** Copying blocks the event loop, so a signal is delivered only afterwards. */
async function requireNotAborted(signal: AbortSignal): Promise<void> {
	await Bun.sleep(0);
	if (signal.aborted) throw new StartError("stopped: nothing was copied", 1);
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
