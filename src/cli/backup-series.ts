import { lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SECOND_MS, toTimestamp } from "../lib/clock.ts";
import { because, NameTaken } from "../lib/start-error.ts";
import type { BackUp } from "../store/engine.ts";
import { printJson } from "./print.ts";

/** Matches what {@link nameAt} returns, and no other file of the folder. */
const DATED = /^resort-\d{8}T\d{6}Z$/;

/** Returns the name of a backup without its extension. Names sort by time. */
function nameAt(timeMs: number): string {
	const time = toTimestamp(timeMs).replaceAll(/[-:]|\.\d+/g, "");
	return `resort-${time}`;
}

/**
 * Creates a backup with the name of this second, removes the oldest ones until `keep` are left, and prints the paths.
 * @param copyTo creates the file, and throws NameTaken if it exists
 * @throws StartError if the backup cannot be created, or an old one cannot be removed
 */
export async function addToSeries(
	folder: string,
	ending: string,
	keep: number,
	copyTo: (path: string) => Promise<BackUp>,
): Promise<void> {
	try {
		readdirSync(folder);
	} catch (error) {
		throw because(`--dir ${folder} cannot be used`, error);
	}
	const { path, bytes } = await copyToFreeName(folder, ending, copyTo);
	const removed: string[] = [];
	try {
		const earlier = earlierThan(path, ending);
		for (const old of earlier.slice(
			0,
			Math.max(0, earlier.length - keep + 1),
		)) {
			rmSync(old, { force: true });
			removed.push(old);
		}
	} catch (error) {
		const place = dirname(path);
		const what = `the back-up is made, but an older one in ${place} cannot be removed`;
		throw because(what, error);
	} finally {
		printJson({ backup: path, bytes, removed });
	}
}

/** Waits for the next second if the name of this one is taken. */
async function copyToFreeName(
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
 * Returns the backups of a series with earlier names than the newest, the oldest first. Later names are from before the
 * clock was set back: they are neither counted nor removed, so that new backups are kept.
 */
function earlierThan(newest: string, ending: string): string[] {
	return readdirSync(dirname(newest))
		.filter((name) => name.endsWith(ending) && name < basename(newest))
		.filter((name) => DATED.test(name.slice(0, -ending.length)))
		.map((name) => join(dirname(newest), name))
		.filter(isBackUp)
		.toSorted();
}

/** Another process reserves a name by an empty file. */
function isBackUp(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isFile() === true && found.size > 0;
}
