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

/** How many pages are scrubbed under one lock: some milliseconds of reading. */
const PAGES_AT_ONCE = 1_024;

/** How often, and at what interval, the log is emptied while others use it. */
const ATTEMPTS = 500;
const PAUSE_MS = 20;

/** The lengths of the page headers of b-tree pages, by their first byte (https://www.sqlite.org/fileformat2.html, 1.6). */
const headerLengths: Readonly<Record<number, number>> = {
	2: 12,
	5: 12,
	10: 8,
	13: 8,
};

/** From this number on, the first byte of an overflow page, which is of a page number, may look like a b-tree's. */
const FIRST_AMBIGUOUS_PAGE = 0x02000000;

/**
 * Removes from a database file and its log what was deleted or overwritten, while other processes use them.
 *
 * With `PRAGMA secure_delete` SQLite overwrites what it deletes. But when it moves rows to another page, their old
 * bytes stay in the unallocated middle of the page that they left (measured: in 33 of 40 databases of 3,000 changed
 * rows). Therefore this writes zeros there, some pages at a time, under the write lock and after a checkpoint, so
 * that the file is the newest state. SQLite never reads these bytes. A commit ends each lock: it makes every
 * other connection drop its cached pages, so that none of them writes the old bytes again.
 * @param sqlite a connection without a transaction
 * @param file its file, open for reading and writing. Its owner closes it after `sqlite`: closing it drops the locks
 * that SQLite has on the file in this process
 * @param path of the file
 * @throws ResortError `unavailable` if another process reads all the time, or the storage fails
 */
export async function scrub(
	sqlite: Database,
	file: number,
	path: string,
): Promise<void> {
	const pageSize = Number(readCell(sqlite, "PRAGMA page_size"));
	const holder = openDatabase(path, WRITABLE);
	try {
		holder.run("PRAGMA busy_timeout = 0");
		holder.run("PRAGMA synchronous = NORMAL");
		const pages = Buffer.alloc(PAGES_AT_ONCE * pageSize);
		// Page 1 holds the schema, and no text of anybody.
		for (let page = 2; page < FIRST_AMBIGUOUS_PAGE; page += PAGES_AT_ONCE) {
			let isEnd = false;
			await untilDone(() => {
				const length = clearUnderLock(holder, sqlite, () =>
					clearGaps(file, pages, (page - 1) * pageSize, pageSize),
				);
				isEnd = length !== null && length < pages.length;
				return length !== null;
			});
			if (isEnd) break;
		}
		fsyncSync(file);
	} finally {
		holder.close();
	}
	await untilDone(
		() => readCell(sqlite, "PRAGMA wal_checkpoint(TRUNCATE)") === 0,
	);
}

/**
 * Runs `clear` while nobody writes, and the file holds all that is in its log.
 * @returns null if others write or read now
 */
function clearUnderLock(
	holder: Database,
	sqlite: Database,
	clear: () => number,
): number | null {
	try {
		holder.run("BEGIN IMMEDIATE");
	} catch (error) {
		if (isBusy(error)) return null;
		throw error;
	}
	try {
		const [state] = readRows<{ log: number; checkpointed: number }>(
			sqlite,
			"PRAGMA wal_checkpoint(PASSIVE)",
		);
		if (state?.log !== state?.checkpointed) return null;
		const length = clear();
		// Its first page is written: the value stays.
		const version = readCell(holder, "PRAGMA user_version");
		holder.run(`PRAGMA user_version = ${version}`);
		holder.run("COMMIT");
		return length;
	} finally {
		if (holder.inTransaction) holder.run("ROLLBACK");
	}
}

/**
 * Writes zeros between the cell pointers and the cells of b-tree pages.
 * @param pages is filled with the pages
 * @returns how many bytes there were
 */
function clearGaps(
	file: number,
	pages: Buffer,
	position: number,
	pageSize: number,
): number {
	const length = readSync(file, pages, 0, pages.length, position);
	for (let page = 0; page + pageSize <= length; page += pageSize) {
		const header = headerLengths[pages[page] ?? 0];
		if (header === undefined) continue;
		const start = page + header + 2 * pages.readUInt16BE(page + 3);
		const end = page + (pages.readUInt16BE(page + 5) || 65_536);
		if (start >= end || end > page + pageSize) continue;
		const gap = pages.subarray(start, end);
		if (gap.every((byte) => byte === 0)) continue;
		writeSync(file, gap.fill(0), 0, gap.length, position + start);
	}
	return length;
}

/** @throws ResortError `unavailable` when it is not done after all attempts, or the storage fails */
async function untilDone(attempt: () => boolean): Promise<void> {
	for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
		try {
			if (attempt()) return;
		} catch (error) {
			throw storageUnavailable(
				error,
				"Everything was overwritten, but the file could not be scrubbed. Run the command again.",
			);
		}
		await Bun.sleep(PAUSE_MS);
	}
	throw storageUnavailable(
		new Error("another program reads the database, so that its log stays"),
		"Everything was overwritten, but another program reads the database, a back-up perhaps, so that the log beside it must stay. Run the command again once that has ended.",
	);
}
