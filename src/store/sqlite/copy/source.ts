import type { Database } from "bun:sqlite";
import { StartError } from "../../../lib/start-error.ts";
import type { CopiedTable } from "../../copy/copied-tables.ts";
import type { Source } from "../../copy/place.ts";
import { openReadOnly, schemaVersion } from "../file/checks.ts";
import { existingDatabase } from "../file/copy.ts";
import { type Lock, lockFile } from "../file/lock.ts";
import { migrations } from "../file/migrate.ts";
import { requireSound } from "../file/restore.ts";
import { lastEventIdOf, rowsOf } from "./rows.ts";

/** The database file of a resort that nobody serves, and nobody can until it is closed. */
export class SqliteSource implements Source {
	readonly path: string;
	readonly #lock: Lock;
	readonly #sqlite: Database;

	private constructor(path: string, lock: Lock, sqlite: Database) {
		this.path = path;
		this.#lock = lock;
		this.#sqlite = sqlite;
	}

	/**
	 * Opens a database file.
	 * @throws StartError when it is not there, served, damaged, not as resort makes it, or of another version
	 */
	static open(path: string): SqliteSource {
		const file = existingDatabase(path);
		const lock = lockFile(file, "replace");
		try {
			requireSound(file);
			const sqlite = openReadOnly(file);
			try {
				requireVersion(file, schemaVersion(sqlite));
				// Other programs than resort may write to it: only what is there now is read.
				sqlite.run("BEGIN");
				return new SqliteSource(file, lock, sqlite);
			} catch (error) {
				sqlite.close();
				throw error;
			}
		} catch (error) {
			lock.abandon();
			throw error;
		}
	}

	async *rows(table: CopiedTable) {
		yield* rowsOf(this.#sqlite, table);
	}

	async lastEventId(): Promise<number> {
		return lastEventIdOf(this.#sqlite);
	}

	async close(): Promise<void> {
		this.#sqlite.close();
		// Also takes away the lock when there was none before.
		this.#lock.abandon();
	}
}

function requireVersion(file: string, version: number): void {
	if (version === migrations.length) return;
	throw new StartError(
		`database ${file} is of an older version of resort (its schema is ${version}, this program knows ${migrations.length}); start resort serve with it once, which brings it there`,
		1,
	);
}
