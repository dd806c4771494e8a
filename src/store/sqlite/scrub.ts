import type { Database } from "bun:sqlite";
import { fsyncSync, readSync, writeSync } from "node:fs";
import { storageUnavailable } from "../unavailable.ts";
import {
	isBusy,
	openDatabase,
	readCell,
	readRows,
	WRITABLE,
} from "./open-database.ts";

/** The number of pages that are read at a time. */
const PAGES_AT_ONCE = 2_048;

/** The number of pages that are cleared under one lock. Clearing them takes a few milliseconds. */
const PAGES_PER_LOCK = 256;

/** The maximum number of attempts while other processes use the database, and the pause between two attempts. */
const ATTEMPTS = 1_000;
const PAUSE_MS = 10;

/**
 * The length in bytes of a b-tree page's header, by the first byte of the page
 * (https://www.sqlite.org/fileformat2.html, 1.6).
 */
const headerLengths: Readonly<Record<number, number>> = {
	2: 12,
	5: 12,
	10: 8,
	13: 8,
};

/**
 * An overflow page begins with the number of the next page, in 4 bytes. From this page number on, the first byte can be
 * 2 or more, so an overflow page may look like a b-tree page. The pages from this number on are not cleared.
 */
const FIRST_AMBIGUOUS_PAGE = 0x02000000;

/**
 * Removes deleted and overwritten data from a database file and its log, while other processes use them.
 *
 * With `PRAGMA secure_delete`, SQLite overwrites what it deletes. But when it moves rows to another page, the old bytes
 * remain in the unallocated gap of the page that the rows have left. SQLite never reads such a gap. This function fills
 * the gaps with zeros, some pages at a time, under the write lock and after a checkpoint. The commit at the end of each
 * lock makes all other connections drop their cached pages, so that no connection writes the old bytes again.
 * @param sqlite a connection without a transaction
 * @param file the file, open for reading and writing. Close it after `sqlite`: closing it releases the locks that
 * SQLite holds on the file in this process
 * @param path the path of the file
 * @throws ResortError `unavailable` if other processes never stop reading, or the database fails
 */
export async function scrub(
	sqlite: Database,
	file: number,
	path: string,
): Promise<void> {
	const pageSize = Number(readCell(sqlite, "PRAGMA page_size"));
	// After this checkpoint, no page of the file is older than the last change.
	await untilDone(() => checkpoint(sqlite));
	using holder = openDatabase(path, WRITABLE);
	holder.run("PRAGMA busy_timeout = 0");
	// The commits of `holder` change nothing, so a power failure may undo them. Checkpoints sync the commits of other
	// connections.
	holder.run("PRAGMA synchronous = OFF");
	const last = FIRST_AMBIGUOUS_PAGE * pageSize;
	const pages = Buffer.alloc(PAGES_AT_ONCE * pageSize);
	// Skips the first page, which contains the schema and no texts of guests.
	for (let at = pageSize; at < last; at += pages.length) {
		const length = readSync(file, pages, 0, pages.length, at);
		// The search needs no lock, because bytes that were deleted earlier cannot reappear in a gap that is empty now.
		const found = gapsIn(pages.subarray(0, length), pageSize);
		for (let from = 0; from < found.length; from += PAGES_PER_LOCK) {
			const some = found.slice(from, from + PAGES_PER_LOCK);
			await untilDone(() => {
				// A checkpoint before the lock leaves less work to do while the lock is held.
				checkpoint(sqlite);
				return underLock(holder, sqlite, () => {
					for (const { page } of some) clear(file, at + page, pageSize);
				});
			});
			await Bun.sleep(PAUSE_MS);
		}
		if (length < pages.length) break;
		await Bun.sleep(0);
	}
	fsyncSync(file);
	await untilDone(() => {
		checkpoint(sqlite);
		return readCell(sqlite, "PRAGMA wal_checkpoint(TRUNCATE)") === 0;
	});
}

/** Fills the unused bytes of a page, between its cell pointers and its cells, with zeros. */
function clear(file: number, at: number, pageSize: number): void {
	const page = Buffer.alloc(pageSize);
	const length = readSync(file, page, 0, pageSize, at);
	for (const { start, end } of gapsIn(page.subarray(0, length), pageSize)) {
		writeSync(file, zeros, 0, end - start, at + start);
	}
}

/** Copies the log to the file. Returns false if a reader of an older snapshot prevented copying all of it. */
function checkpoint(sqlite: Database): boolean {
	const [state] = readRows<{ log: number; checkpointed: number }>(
		sqlite,
		"PRAGMA wal_checkpoint(PASSIVE)",
	);
	return state?.log === state?.checkpointed;
}

/**
 * Runs `clear` while no other process can write, and after everything in the log has been copied to the file.
 * @returns false if other processes are writing or reading
 */
function underLock(
	holder: Database,
	sqlite: Database,
	clear: () => void,
): boolean {
	try {
		holder.run("BEGIN IMMEDIATE");
	} catch (error) {
		if (isBusy(error)) return false;
		throw error;
	}
	try {
		if (!checkpoint(sqlite)) return false;
		clear();
		// Writes the first page, which is never cleared. The value does not change, but the commit makes other connections
		// drop their cached pages.
		const version = readCell(holder, "PRAGMA user_version");
		holder.run(`PRAGMA user_version = ${version}`);
		holder.run("COMMIT");
		return true;
	} finally {
		if (holder.inTransaction) holder.run("ROLLBACK");
	}
}

/** Zeros for the largest possible gap, which has the maximum page size. */
const zeros = Buffer.alloc(65_536);

/**
 * Returns the gaps between the cell pointers and the cells of b-tree pages. Gaps that are empty or filled with zeros
 * are omitted.
 */
function gapsIn(pages: Buffer, pageSize: number) {
	const gaps: { page: number; start: number; end: number }[] = [];
	for (let at = 0; at + pageSize <= pages.length; at += pageSize) {
		const header = headerLengths[pages[at] ?? 0];
		if (header === undefined) continue;
		const start = at + header + 2 * pages.readUInt16BE(at + 3);
		const end = at + (pages.readUInt16BE(at + 5) || 65_536);
		if (start >= end || end > at + pageSize) continue;
		const isZeroed = pages.compare(zeros, 0, end - start, start, end) === 0;
		if (!isZeroed) gaps.push({ page: at, start, end });
	}
	return gaps;
}

/**
 * Repeats an attempt until it returns true.
 * @throws ResortError `unavailable` if no attempt succeeds, or the database fails
 */
async function untilDone(attempt: () => boolean): Promise<void> {
	try {
		for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
			if (attempt()) return;
			await Bun.sleep(PAUSE_MS);
		}
		throw new Error(
			"another program is reading the database, so its log cannot be removed",
		);
	} catch (error) {
		throw storageUnavailable(
			error,
			"Everything was overwritten, but the file and the log beside it could not be scrubbed, perhaps because another program, such as a backup, is reading the database. Run the command again when that program has finished.",
		);
	}
}
