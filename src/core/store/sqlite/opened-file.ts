import { closeSync, openSync, readSync, statSync } from "node:fs";
import { JOURNAL_BYTE, WAL_MODE } from "./database-file.ts";

/**
 * Notices that a database file, or its write-ahead log, is no longer the file that was opened. Writes would
 * then be lost, or be mixed with the rows of another database.
 */
export class OpenedFile {
	readonly #names: readonly string[];
	readonly #known: readonly (string | null)[];
	readonly #descriptor: number;
	readonly #byte = new Uint8Array(1);

	/** @param file the real path of a database that is open in WAL mode */
	constructor(private readonly file: string) {
		this.#names = [file, `${file}-wal`];
		this.#known = this.#names.map(identify);
		// Stays open, because closing any descriptor of the file releases the locks of this process (fcntl(2)).
		this.#descriptor = openSync(file, "r");
	}

	/** The reason why the database cannot be written; null if it can be written. */
	get fault(): string | null {
		// If the file is not in WAL mode, a backup was copied over it, because a backup is never in this mode.
		// SQLite itself does not notice that the content was replaced.
		const length = readSync(this.#descriptor, this.#byte, 0, 1, JOURNAL_BYTE);
		if (length === 0 || this.#byte[0] !== WAL_MODE) {
			return `another database was copied over ${this.file}; stop the instance, then use resort restore BACKUP`;
		}
		if (this.#names.every((name, at) => identify(name) === this.#known[at])) return null;
		return `${this.file}, or its -wal, was removed or replaced; put it back, then restart the instance`;
	}

	/** Releases the locks of this process on the file, so call it only after the database was closed. */
	close(): void {
		closeSync(this.#descriptor);
	}
}

function identify(name: string): string | null {
	const stats = statSync(name, { throwIfNoEntry: false });
	return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}
