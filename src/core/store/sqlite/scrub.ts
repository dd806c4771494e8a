import type { Database } from "bun:sqlite";
import { storageUnavailable } from "../unavailable.ts";
import { readCell } from "./open-database.ts";

/**
 * The maximum number of attempts while other processes use the database, and the pause between two attempts.
 */
const ATTEMPTS = 1_000;
const PAUSE_MS = 10;

/**
 * Removes overwritten data from the log of a database, and thereby from the file, in which `PRAGMA
 * secure_delete` overwrites it. Other processes may use them.
 * @throws ResortError `unavailable` if other processes never stop reading, or the database fails
 */
export async function scrub(sqlite: Database): Promise<void> {
	try {
		for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
			const isBusy = readCell(sqlite, "PRAGMA wal_checkpoint(TRUNCATE)") !== 0;
			if (!isBusy) return;
			await Bun.sleep(PAUSE_MS);
		}
		throw new Error("another program is reading the database, so its log cannot be removed");
	} catch (error) {
		throw storageUnavailable(
			error,
			"Everything was overwritten, but the log beside the file could not be emptied, perhaps " +
				"because another program, such as a backup, is reading the database. Run the command again " +
				"when that program has finished.",
		);
	}
}
