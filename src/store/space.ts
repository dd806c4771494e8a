/** One MiB in bytes. */
export const MEBIBYTE = 1024 * 1024;

/** The reserve of a file system: this part of it, at most this size. */
const RESERVE = { part: 0.05, bytes: 256 * MEBIBYTE };

/** How much room a database takes, in bytes. */
export interface Space {
	/** What it contains, without the pages that it has freed; on a server, its size on the disk. */
	readonly usedBytes: number;
	/** The file system of its file; null if the database is in memory or on a server. */
	readonly fileSystem: FileSystem | null;
}

/** The size of a file system, in bytes. */
export interface FileSystem {
	/** What the user of this process may still write. */
	readonly freeBytes: number;
	readonly totalBytes: number;
}

/** A bound of a database. */
export interface SpaceBound {
	readonly name: "max-database" | "reserve";
	readonly bytes: number;
	/** How much may be added until calls that add rows are refused; negative beyond the bound. */
	readonly leftBytes: number;
}

/** Returns how much of a file system is kept free for what need not be refused. */
export function reserveOf({ totalBytes }: FileSystem): number {
	return Math.min(RESERVE.bytes, Math.floor(totalBytes * RESERVE.part));
}

/** Returns the bounds of a database. @param maxBytes `--max-database`; 0 for none */
export function boundsOf(
	{ usedBytes, fileSystem }: Space,
	maxBytes: number,
): SpaceBound[] {
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

/** Returns a size in whole MiB, rounded down. */
export function inMebibytes(bytes: number): string {
	return `${Math.floor(bytes / MEBIBYTE)} MiB`;
}
