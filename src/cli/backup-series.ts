import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SECOND_MS, toTimestamp } from "../lib/clock.ts";
import { codeOf } from "../lib/error-reason.ts";
import { because, NameTaken, StartError } from "../lib/start-error.ts";
import type { BackUp } from "../store/engine.ts";

/** Matches what {@link nameAt} returns, and no other file of the folder. */
const DATED = /^resort-\d{8}T\d{6}Z$/;

/** Returns the name of a backup without its extension. Names sort by time. */
function nameAt(timeMs: number): string {
	const time = toTimestamp(timeMs).replaceAll(/[-:]|\.\d+/g, "");
	return `resort-${time}`;
}

/** @throws StartError if a path is not a folder */
export function requireFolder(path: string): void {
	try {
		if (statSync(path).isDirectory()) return;
	} catch (error) {
		throw because(`--dir ${path} cannot be used`, error);
	}
	throw new StartError(`--dir ${path} is not a folder`, 1);
}

/**
 * Creates a backup with the name of this second. If the name is taken, it waits for the next second.
 * @param copyTo creates the file, and throws NameTaken if it exists
 */
export async function addToSeries(
	folder: string,
	ending: string,
	copyTo: (path: string) => Promise<BackUp>,
): Promise<BackUp> {
	for (;;) {
		try {
			return await copyTo(join(folder, nameAt(Date.now()) + ending));
		} catch (error) {
			if (!(error instanceof NameTaken)) throw error;
			await Bun.sleep(SECOND_MS - (Date.now() % SECOND_MS));
		}
	}
}

/**
 * Removes the oldest backups of a series until `keep` are left, including the newest. Later names than the newest are
 * from before the clock was set back: they are neither counted nor removed, so that new backups are kept.
 * @returns the removed paths, the oldest first, and why not all could be removed
 */
export function removeOldest(
	newest: string,
	ending: string,
	keep: number | null,
): { readonly removed: readonly string[]; readonly failure: Error | null } {
	const removed: string[] = [];
	if (keep === null) return { removed, failure: null };
	const folder = dirname(newest);
	try {
		const earlier = readdirSync(folder)
			.filter((name) => name.endsWith(ending) && name < basename(newest))
			.filter((name) => DATED.test(name.slice(0, -ending.length)))
			.map((name) => join(folder, name))
			.filter(isBackUp)
			.toSorted();
		const surplus = Math.max(0, earlier.length - keep + 1);
		for (const path of earlier.slice(0, surplus)) {
			if (remove(path)) removed.push(path);
		}
		return { removed, failure: null };
	} catch (error) {
		const what = `the back-up is made, but an older one in ${folder} cannot be removed`;
		return { removed, failure: because(what, error) };
	}
}

/** Another process reserves a name by an empty file. */
function isBackUp(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isFile() === true && found.size > 0;
}

function remove(path: string): boolean {
	try {
		rmSync(path);
		return true;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return false;
		throw error;
	}
}
