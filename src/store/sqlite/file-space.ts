import type { Database } from "bun:sqlite";
import { statfsSync } from "node:fs";
import type { FileSystem } from "../space.ts";

/**
 * Returns the number of bytes in pages that are in use. Free pages are not counted, because new rows reuse them. They
 * exist because the file does not shrink when rows are deleted.
 */
export function usedBytes(sqlite: Database): number {
	const pragma = (name: string) =>
		sqlite.query<Record<string, number>, []>(`PRAGMA ${name}`).get()?.[name] ??
		0;
	const pages = pragma("page_count") - pragma("freelist_count");
	return pages * pragma("page_size");
}

/** Measures the file system of a folder. */
export function measureFileSystem(folder: string): FileSystem {
	const { bavail, blocks, bsize } = statfsSync(folder);
	return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}
