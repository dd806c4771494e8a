import type { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { metric } from "../../lib/metric.ts";
import { StartError } from "../../lib/start-error.ts";
import { measureFileSystem } from "../space.ts";
import { type Store, storageUnavailable } from "../store.ts";
import { WriteCheck } from "../write-check.ts";
import { cannotOpen, realPath, schemaInHeader } from "./database-file.ts";
import { lockFile } from "./database-lock.ts";
import { mergeLog, nameLog } from "./log-owner.ts";
import { heldAlone, isBusy, isDamage, openWritable, requireFittingLog, usedBytes } from "./open-database.ts";
import { OpenedFile } from "./opened-file.ts";
import { schemaFault } from "./schema-check.ts";
import { type Migration, migrate, migrations, newerDatabase } from "./sqlite-migrations.ts";
import { Transactions } from "./transactions.ts";
import { UnfinishedFile } from "./unfinished-file.ts";

/** How many times to try to empty the log while other processes read it, and the pause between attempts. */
const SCRUB_ATTEMPTS = 1_000;
const SCRUB_PAUSE_MS = 10;

const NOT_SCRUBBED_HINT =
	"Everything was overwritten, but the log beside the file could not be emptied, perhaps because another program, such as a backup, is reading the database. Run the command again when that program has finished.";

/** A store on SQLite. */
export interface SqliteStore extends Store {
	readonly sqlite: Database;
	/** The migration that was run when the database was opened; null if there was none. */
	readonly migration: Migration | null;
}

/**
 * Opens a database, and migrates it to the newest schema. A process that serves creates a missing database.
 * @param path a file in an existing folder, or `:memory:`
 * @param use whether this process serves the file, or administers it, perhaps while another process serves it
 * @param open opens and migrates the database
 * @throws StartError if the file is not a resort's database, has a newer version, is used by another process,
 * or cannot be opened or written. The file is then unchanged
 */
export function openStore(path: string, use: "serve" | "administer" = "serve", open = openFile): SqliteStore {
	const file = path === ":memory:" ? null : realPath(path);
	const lock = file === null ? null : lockKnownVersion(file, use);
	try {
		const { sqlite, migration } = open(file, use);
		const place = file === null ? null : new OpenedFile(file);
		let isDamaged = false;
		const transactions = new Transactions(sqlite, place, (error) => {
			isDamaged ||= isDamage(error);
			writes.fail();
		});
		const writes = new WriteCheck(transactions);
		// Makes the first health check write a row, so that a full disk is noticed before a change fails.
		if (use === "serve" && file !== null) writes.fail();
		// The store is not spread, because the methods of `transactions` are on its prototype and would be lost.
		return Object.assign(transactions, {
			path: file ?? path,
			migration,
			withoutDeadline: transactions.withDeadline,
			// No lock is needed, because changes do not run concurrently.
			*lock() {},
			*eventWatermarks() {
				// The table exists, because `events` has AUTOINCREMENT.
				const text = "SELECT seq FROM sqlite_sequence WHERE name = 'events'";
				const newest = sqlite.query<{ seq: number }, []>(text).get()?.seq ?? 0;
				return { final: newest, newest };
			},
			*restartEventIds() {
				sqlite.run("DELETE FROM sqlite_sequence WHERE name = 'events'");
			},
			async scrub() {
				await transactions.drain();
				await scrub(sqlite);
			},
			metrics: [
				metric(
					"resort_database_size_bytes",
					"Size of the database file and its write-ahead log.",
					() => ({ main: sizeOf(file ?? path), wal: sizeOf(`${file ?? path}-wal`) }),
					"file",
				),
			],
			isShared: false,
			createWindow: null,
			measureSpace: () => ({
				usedBytes: usedBytes(sqlite),
				fileSystem: file === null ? null : measureFileSystem(dirname(file)),
			}),
			// Does not write after damage was found, because a write to an undamaged page would succeed.
			isHealthy: async () => !isDamaged && transactions.fault === null && canRead(sqlite) && writes.passes(),
			async close() {
				await transactions.drain();
				try {
					if (use === "serve") mergeLog(sqlite);
				} catch {
					// On a full disk, the log remains next to the file. The next start reads it.
				}
				sqlite.close();
				place?.close();
				lock?.close();
			},
		});
	} catch (error) {
		lock?.close();
		throw error;
	}
}

/** Returns the size of a file; 0 if the file is missing, as with `:memory:`. */
function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openFile(
	file: string | null,
	use: "serve" | "administer",
): Pick<SqliteStore, "sqlite" | "migration"> {
	const isNew = file !== null && use === "serve" && !existsSync(file);
	try {
		using resources = new DisposableStack();
		// A new file is deleted if anything below fails.
		if (isNew) resources.use(new UnfinishedFile(file));
		else if (file !== null && use === "serve") requireFittingLog(file);
		const sqlite = resources.use(openWritable(file ?? ":memory:"));
		// Reports an unwritable file now instead of at the first change.
		sqlite.run("BEGIN IMMEDIATE");
		sqlite.run("ROLLBACK");
		const fault = file === null ? null : schemaFault(sqlite);
		if (fault !== null) {
			throw new StartError(`database ${file} differs from resort's schema: ${fault}`);
		}
		const migration = migrate(sqlite, file);
		// From now on, the connection does not wait for locks, because {@link Transactions} retries.
		sqlite.run("PRAGMA busy_timeout = 0");
		if (file !== null && use === "serve") nameLog(sqlite);
		// From now on, the stack no longer closes the database or deletes the file.
		resources.move();
		return { sqlite, migration };
	} catch (error) {
		if (error instanceof StartError) throw error;
		if (isBusy(error)) throw heldAlone(file ?? ":memory:");
		throw cannotOpen(file ?? ":memory:", error);
	}
}

function canRead(sqlite: Database): boolean {
	try {
		// `query` prepares the statement only once. Otherwise a flood of health checks would be expensive.
		sqlite.query("SELECT 1 FROM agents LIMIT 1").get();
		return true;
	} catch {
		return false;
	}
}

/**
 * Removes deleted and overwritten data from the log of a database by merging the log into the file, in which
 * `PRAGMA secure_delete` overwrites this data. Other processes may use the database at the same time.
 * @throws ResortError `unavailable`
 */
async function scrub(sqlite: Database): Promise<void> {
	try {
		for (let attempts = 0; attempts < SCRUB_ATTEMPTS; attempts++) {
			if (mergeLog(sqlite)) return;
			await Bun.sleep(SCRUB_PAUSE_MS);
		}
		throw new Error("another program is reading the database, so its log cannot be removed");
	} catch (error) {
		throw storageUnavailable(error, NOT_SCRUBBED_HINT);
	}
}

/**
 * Opens and locks a file, except one of a newer program: SQLite could change it even by opening it.
 * @throws StartError if the file is newer, or locked by another process, or is administered but empty
 */
function lockKnownVersion(file: string, use: "serve" | "administer"): Database {
	const version = schemaInHeader(file);
	if (version === null && use === "administer") {
		throw new StartError(`database ${file} is empty; start resort serve with it first`);
	}
	if (version !== null && version > migrations.length) throw newerDatabase(file, version);
	// During the migration, no instance of an older version may serve the file. The lock for `serve` excludes
	// such an instance, even if `resort admin` migrates the file.
	const isOld = version !== null && version < migrations.length;
	return lockFile(file, isOld ? "serve" : use);
}
