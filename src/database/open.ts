import { Database } from "bun:sqlite";
import {
	closeSync,
	existsSync,
	openSync,
	readSync,
	realpathSync,
	statSync,
} from "node:fs";
import { type BunSQLiteDatabase, drizzle } from "drizzle-orm/bun-sqlite";
import { failures, type ResortError, StartError } from "../errors.ts";
import {
	APPLICATION_ID,
	migrate,
	migrations,
	newerDatabase,
} from "./migrate.ts";
import { isBusy, Writer } from "./writer.ts";

/** How long the lock of a file is waited for. */
const LOCK_PATIENCE_MS = 100;

/** The query builder, for reads and, inside a change of the writer, for writes. */
export type Db = BunSQLiteDatabase;

/** An open database. */
export interface Store {
	/** The whole path of its file, or `:memory:`. */
	readonly path: string;
	readonly db: Db;
	readonly sqlite: Database;
	readonly writer: Writer;
	/** Whether the database answers and its file is where it was; asks anew each time. */
	isReadable(): boolean;
	/** Commits what is pending, leaves all of it in the file, and gives the file's lock back. */
	close(): Promise<void>;
}

/**
 * Opens a database, makes it when it is not there, and brings it to the newest schema.
 * @param path a file, whose folder exists, or `:memory:`
 * @throws StartError when the file is not a resort's, is of a newer version, is in use by another
 * process, or cannot be opened or written; it is left as it was
 */
export function openStore(path: string): Store {
	const file = path === ":memory:" ? null : realPath(path);
	if (file !== null) inspect(file);
	const lock = file === null ? null : lockFile(file);
	try {
		const sqlite = openFile(file);
		const isInPlace = file === null ? () => true : watchPlace(file);
		const writer = new Writer(sqlite, () => {
			if (!isInPlace()) throw displaced(file ?? path);
		});
		return {
			path: file ?? path,
			db: drizzle(sqlite, { casing: "snake_case" }),
			sqlite,
			writer,
			isReadable: () => isInPlace() && answers(sqlite),
			async close() {
				await writer.drain();
				mergeLog(sqlite);
				sqlite.close();
				lock?.close();
			},
		};
	} catch (error) {
		lock?.close();
		throw error;
	}
}

/**
 * A query that is built and prepared once for each store, at its first use.
 * @param build makes the prepared query
 */
export function prepared<Q extends object>(
	build: (db: Db) => Q,
): (store: Store) => Q {
	const built = new WeakMap<Store, Q>();
	return (store) => {
		let query = built.get(store);
		if (query === undefined) {
			query = build(store.db);
			built.set(store, query);
		}
		return query;
	};
}

function openFile(file: string | null): Database {
	let sqlite: Database | undefined;
	try {
		sqlite = new Database(file ?? ":memory:", {
			create: true,
			readwrite: true,
		});
		// Before the file becomes a WAL one, so that its own first page says whose it is.
		if (isEmpty(sqlite))
			sqlite.run(`PRAGMA application_id = ${APPLICATION_ID}`);
		for (const pragma of [
			"busy_timeout = 5000",
			"journal_mode = WAL",
			"synchronous = FULL",
			"foreign_keys = ON",
			"temp_store = MEMORY",
			"mmap_size = 2147418112",
			"wal_autocheckpoint = 8000",
		]) {
			sqlite.run(`PRAGMA ${pragma}`);
		}
		// A file that cannot be written is told now and not at the first guest's arrival.
		sqlite.run("BEGIN IMMEDIATE");
		sqlite.run("ROLLBACK");
		migrate(sqlite, file);
		// From here on the writer waits, not the connection.
		sqlite.run("PRAGMA busy_timeout = 0");
		return sqlite;
	} catch (error) {
		sqlite?.close();
		if (error instanceof StartError) throw error;
		throw cannotOpen(file ?? ":memory:", error);
	}
}

/**
 * Remembers which files stand at the names of an open database and of its write-ahead log. Once another one
 * stands there, or none, whatever is written goes into a file that nobody will find again.
 * @returns whether they still stand there
 */
function watchPlace(file: string): () => boolean {
	const names = [file, `${file}-wal`];
	const known = names.map(identify);
	return () => names.every((name, at) => identify(name) === known[at]);
}

function identify(name: string): string | null {
	const found = statSync(name, { throwIfNoEntry: false });
	return found === undefined ? null : `${found.dev}:${found.ino}`;
}

function displaced(file: string): ResortError {
	return Object.assign(failures.storageUnavailable(), {
		cause: new Error(
			`${file}, or its -wal, was removed or replaced; put it back or start anew`,
		),
	});
}

function answers(sqlite: Database): boolean {
	try {
		const probe = sqlite.prepare("SELECT 1 FROM agents LIMIT 1");
		probe.all();
		probe.finalize();
		return true;
	} catch {
		return false;
	}
}

/** Moves what the write-ahead log holds into the file, so that the file alone is all there is. */
function mergeLog(sqlite: Database): void {
	try {
		sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	} catch {
		// On a full disk the log stays beside the file, and the next start reads it.
	}
}

/** Whether a database has not a page yet, also after a first start that was cut off was rolled back. */
function isEmpty(sqlite: Database): boolean {
	const row = sqlite
		.query<{ page_count: number }, []>("PRAGMA page_count")
		.get();
	return row?.page_count === 0;
}

/** Looks at the file's header (https://www.sqlite.org/fileformat.html, 1.3) without opening it as a database. */
function inspect(file: string): void {
	const version = schemaInHeader(file);
	if (version !== null && version > migrations.length) {
		throw newerDatabase(file, version);
	}
}

/**
 * The schema version that a file's own first page tells; what a write-ahead log holds may be newer.
 * @returns null for an empty file, which is no database yet
 * @throws StartError when the file is not a resort's, or cannot be read
 */
export function schemaInHeader(file: string): number | null {
	const header = readHeader(file);
	if (header.length === 0) return null;
	const magic = header.toString("latin1", 0, 16);
	if (header.length < 100 || magic !== "SQLite format 3\0") {
		throw new StartError(`database ${file} is not a SQLite database`, 1);
	}
	if (header.readUInt32BE(68) !== APPLICATION_ID) {
		throw new StartError(`database ${file} is not a resort's database`, 1);
	}
	return header.readUInt32BE(60);
}

function readHeader(file: string): Buffer {
	try {
		const descriptor = openSync(file, "r");
		try {
			const header = Buffer.alloc(100);
			return header.subarray(0, readSync(descriptor, header));
		} finally {
			closeSync(descriptor);
		}
	} catch (error) {
		throw cannotOpen(file, error);
	}
}

/**
 * Takes the right to serve a file. The lock is one that SQLite holds on a file beside it: the
 * operating system drops it when the process dies, so the file itself never means anything.
 * @param file its one true path
 * @returns the lock, held until it is closed
 * @throws StartError when another process has it
 */
export function lockFile(file: string): Database {
	const lock = openLock(`${file}-lock`, file);
	try {
		// Who looks whether the file is served has the lock for a moment too; that is no reason to give up.
		lock.run(`PRAGMA busy_timeout = ${LOCK_PATIENCE_MS}`);
		lock.run("BEGIN EXCLUSIVE");
		return lock;
	} catch (error) {
		lock.close();
		if (!isBusy(error)) throw cannotOpen(`${file}-lock`, error);
		throw new StartError(
			`database ${file} is in use by another resort process; stop it, or give another --database`,
			1,
		);
	}
}

/**
 * Whether another process serves a file; takes the lock from nobody.
 * @param file its one true path
 */
export function isServed(file: string): boolean {
	if (!existsSync(`${file}-lock`)) return false;
	const lock = new Database(`${file}-lock`, { readonly: true });
	try {
		lock.run("SELECT count(*) FROM sqlite_schema");
		return false;
	} catch (error) {
		if (isBusy(error)) return true;
		throw error;
	} finally {
		lock.close();
	}
}

function openLock(path: string, file: string): Database {
	try {
		return new Database(path, { create: true, readwrite: true });
	} catch (error) {
		throw cannotOpen(file, error);
	}
}

function cannotOpen(file: string, error: unknown): StartError {
	const reason = error instanceof Error ? error.message : String(error);
	return new StartError(
		`database ${file} cannot be opened or written: ${reason}`,
		1,
	);
}

/**
 * The file's one true path, so that its lock is found by whatever name it is opened; makes the file.
 * @throws StartError when it cannot be made or opened
 */
export function realPath(path: string): string {
	try {
		closeSync(openSync(path, "a"));
		return realpathSync(path);
	} catch (error) {
		throw cannotOpen(path, error);
	}
}
