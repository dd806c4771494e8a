import type { Database } from "bun:sqlite";
import { statfsSync } from "node:fs";
import type { FileSystem } from "../space.ts";

/**
 * Returns the number of bytes in the pages that are in use. Deleting rows leaves free pages in the file. They
 * are not counted, because new rows reuse them.
 */
export function usedBytes(sqlite: Database): number {
	const pragma = (name: string) =>
		sqlite.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ?? 0;
	const pages = pragma("page_count") - pragma("freelist_count");
	return pages * pragma("page_size");
}

/** Measures the file system of a folder. */
export function measureFileSystem(folder: string): FileSystem {
	const { bavail, blocks, bsize } = statfsSync(folder);
	return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
