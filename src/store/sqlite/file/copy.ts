import {
	closeSync,
	fstatSync,
	lstatSync,
	openSync,
	realpathSync,
	renameSync,
	rmSync,
	type Stats,
	statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { because, NameTaken, StartError } from "../../../lib/start-error.ts";
import type { BackUp, NamelessBackUp } from "../../engine.ts";
import { openReadOnly } from "./checks.ts";
import {
	makeFile,
	PRIVATE,
	removeUnfinished,
	schemaInHeader,
	sync,
} from "./file.ts";

/**
 * Copies a database as it is at this moment, also while another process serves it, which goes on undisturbed.
 * The copy is its owner's alone, whoever else may read the database.
 * @param source its file
 * @param target a file that is not there yet; under its name there is never half a copy
 * @param signal keeps the copy from getting its name
 * @throws StartError when the source is missing or not a resort's, or the target cannot be written; NameTaken when it
 * is there
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
		await heed(signal);
		moveToFreeName(unfinished, path);
		sync(dirname(path));
		return { path, bytes };
	} catch (error) {
		removeUnfinished(unfinished);
		throw because(`cannot copy database ${file} to ${path}`, error);
	}
}

/**
 * As {@link backUp}, but the copy has no name in the end, so that nothing is left of it once it is closed.
 * @param folder where it is written; null for the database's own
 * @throws StartError when the source is missing or not a resort's, or the copy cannot be written
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
		await heed(signal);
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

/** Copying blocks: a signal that came meanwhile is told only now. */
async function heed(signal: AbortSignal): Promise<void> {
	await Bun.sleep(0);
	if (signal.aborted) throw new StartError("stopped: nothing was copied", 1);
}

/**
 * The one true path of a resort's database.
 * @throws StartError when it is missing, empty or not a resort's
 */
export function existingDatabase(path: string): string {
	let file: string;
	try {
		if (!isThere(path)) throw new StartError(`${path} does not exist`, 1);
		file = realpathSync(path);
	} catch (error) {
		throw because(`database ${path} cannot be read`, error);
	}
	if (schemaInHeader(file) === null) {
		throw new StartError(`database ${file} is empty`, 1);
	}
	return file;
}

/**
 * Writes a copy of a database, its write-ahead log included, and makes sure that it is on disk.
 * @param target a file that is not there
 * @param mode the permissions of the copy
 * @param owner whose it shall be when root makes it
 * @returns the copy's size in bytes
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
		// VACUUM INTO also takes an empty file. Making it here ensures that it is new, and its permissions right from
		// the start.
		makeFile(target, mode, owner);
		sqlite.run("VACUUM INTO ?", [target]);
	} finally {
		sqlite.close();
	}
	sync(target);
	return statSync(target).size;
}

/** A name beside a file's, under which it is written first. */
export function unfinishedName(file: string): string {
	return `${file}.${crypto.randomUUID()}.tmp`;
}

/** @throws NameTaken when there is a file, a folder or a link of this name */
export function requireFree(path: string): void {
	if (isThere(path)) throw new NameTaken(path);
}

/**
 * Gives a file a name that must be free: of two who want it, one gets it.
 * @throws NameTaken when it is not free, or what the file system reports
 */
export function moveToFreeName(file: string, path: string): void {
	try {
		closeSync(openSync(path, "wx"));
	} catch (error) {
		throw isThere(path) ? new NameTaken(path) : error;
	}
	try {
		renameSync(file, path);
	} catch (error) {
		rmSync(path);
		throw error;
	}
}

function isThere(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
