import { statfsSync } from "node:fs";

/** One MiB in bytes. */
export const MEBIBYTE = 1024 * 1024;

/** The space to keep free in a file system: `part` of its size, but never more than `bytes`. */
const RESERVE = { part: 0.05, bytes: 256 * MEBIBYTE };

/** The space that a database uses, in bytes. */
export interface Space {
	/** The size of the used pages in a SQLite file, or the size of a server's database on its disk. */
	readonly usedBytes: number;
	/** The file system that contains the database file; null if the database is in memory or on a server. */
	readonly fileSystem: FileSystem | null;
}

/** The size of a file system, in bytes. */
export interface FileSystem {
	/** The space that this process's user can still write. */
	readonly freeBytes: number;
	readonly totalBytes: number;
}

/** A limit for a database: its maximum size (`--max-database`), or free space to keep in its file system. */
export interface SpaceBound {
	readonly name: "max-database" | "reserve";
	readonly bytes: number;
	/** The bytes left before calls that add rows are refused; negative if the limit is exceeded. */
	readonly leftBytes: number;
}

/** Measures the file system of a folder. */
export function measureFileSystem(folder: string): FileSystem {
	const { bavail, blocks, bsize } = statfsSync(folder);
	return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

/** Returns how many bytes to keep free in a file system, for the writes that a full database accepts. */
export function reserveOf({ totalBytes }: FileSystem): number {
	return Math.min(RESERVE.bytes, Math.floor(totalBytes * RESERVE.part));
}

/** Returns the limits of a database. `maxBytes`, the value of `--max-database`, is 0 for unlimited. */
export function boundsOf({ usedBytes, fileSystem }: Space, maxBytes: number): SpaceBound[] {
	const bounds: SpaceBound[] = [];
	if (maxBytes > 0) {
		const leftBytes = maxBytes - usedBytes;
		bounds.push({ name: "max-database", bytes: maxBytes, leftBytes });
	}
	if (fileSystem !== null) {
		const bytes = reserveOf(fileSystem);
		const leftBytes = fileSystem.freeBytes - bytes;
		bounds.push({ name: "reserve", bytes, leftBytes });
	}
	return bounds;
}

const UNITS = ["KiB", "MiB", "GiB", "TiB"];

/** Formats a size in the largest unit that fits, but at least KiB, rounded down: `9.5 MiB`, `56 GiB`. */
export function formatBytes(bytes: number): string {
	const log = Math.floor(Math.log2(Math.max(bytes, 1)) / 10);
	const power = Math.min(Math.max(log, 1), UNITS.length);
	const size = bytes / 1024 ** power;
	return `${size < 10 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${UNITS[power - 1]}`;
}
