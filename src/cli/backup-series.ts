import { lstatSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SECOND_MS, toTimestamp } from "../lib/clock.ts";
import { codeOf } from "../lib/error-reason.ts";
import { because, NameTaken, StartError } from "../lib/start-error.ts";
import type { BackUp } from "../store/engine.ts";

/** What {@link nameAt} gives but for its ending, and nothing else that a folder may hold. */
const DATED = /^resort-\d{8}T\d{6}Z$/;

/** The name of a back-up without its ending; names sort by time. */
function nameAt(timeMs: number): string {
	const time = toTimestamp(timeMs).replaceAll(/[-:]|\.\d+/g, "");
	return `resort-${time}`;
}

/** @throws StartError when a path is not that of a folder */
export function requireFolder(path: string): void {
	let isFolder: boolean;
	try {
		isFolder = statSync(path).isDirectory();
	} catch (error) {
		throw because(`--dir ${path} cannot be used`, error);
	}
	if (!isFolder) throw new StartError(`--dir ${path} is no folder`, 1);
}

/**
 * Makes a back-up under the name of this second. When another one has it, it waits for the next second.
 * @param ending of its name
 * @param copyTo makes the file, and throws NameTaken when it is there
 * @throws what copyTo throws else
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
 * Removes the oldest back-ups of a series. Names later than the newest one's are those of a clock that was set back
 * since: they neither count nor go, so that the new back-ups are kept.
 * @param newest the path of the one that was just made
 * @param ending of their names
 * @param keep how many are kept, the newest one among them; null for all
 * @returns the paths that are removed, the oldest first, and why not all could be
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
			.filter((name) => isDated(name, ending) && name < basename(newest))
			.map((name) => join(folder, name))
			.filter(isBackUp)
			.toSorted();
		for (const path of earlier.slice(
			0,
			Math.max(0, earlier.length - keep + 1),
		)) {
			if (remove(path)) removed.push(path);
		}
		return { removed, failure: null };
	} catch (error) {
		const what = `the back-up is made, but an older one in ${folder} cannot be removed`;
		return { removed, failure: because(what, error) };
	}
}

function isDated(name: string, ending: string): boolean {
	return name.endsWith(ending) && DATED.test(name.slice(0, -ending.length));
}

/** An empty file is a name that another one is just taking. */
function isBackUp(path: string): boolean {
	const found = lstatSync(path, { throwIfNoEntry: false });
	return found?.isFile() === true && found.size > 0;
}

/** @returns false when it is gone already, because two remove at once */
function remove(path: string): boolean {
	try {
		rmSync(path);
		return true;
	} catch (error) {
		if (codeOf(error) === "ENOENT") return false;
		throw error;
	}
}
