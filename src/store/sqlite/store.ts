import type { Database, SQLQueryBindings } from "bun:sqlite";
import { closeSync, openSync, statSync } from "node:fs";
import { once } from "../../lib/once.ts";
import type { ResortError } from "../../lib/resort-error.ts";
import { StartError } from "../../lib/start-error.ts";
import type { EngineMetric, Statement, Store } from "../store.ts";
import { immediate, runSync } from "../task.ts";
import { storageUnavailable } from "../unavailable.ts";
import { schemaVersion } from "./file/checks.ts";
import { cannotOpen, realPath, schemaInHeader } from "./file/file.ts";
import { type Lock, lockFile } from "./file/lock.ts";
import {
	type Migration,
	migrate,
	migrations,
	newerDatabase,
} from "./file/migrate.ts";
import { openToServe } from "./file/open.ts";
import { readCell } from "./file/read.ts";
import { requireOwnSchema } from "./file/schema.ts";
import { scrub } from "./scrub.ts";
import { Writer } from "./writer.ts";

/** A store on SQLite. */
export interface SqliteStore extends Store {
	readonly sqlite: Database;
	/** How it was brought to a newer schema when it was opened; null when it was not. */
	readonly migration: Migration | null;
	/** Whether no other program can read the database until the next start, because the disk was full. */
	readonly isAlone: boolean;
}

/**
 * Opens a database, makes it when it is not there, and brings it to the newest schema.
 * @param path a file, whose folder exists, or `:memory:`
 * @param use whether this process serves the file, or administers it beside the one that does
 * @throws StartError when the file is not a resort's, is of a newer version, is in use by another
 * process, or cannot be opened or written; it is left as it was
 */
export function openStore(
	path: string,
	use: "serve" | "administer" = "serve",
): SqliteStore {
	const file = path === ":memory:" ? null : realPath(path);
	if (file !== null) inspect(file);
	const lock = file === null ? null : lockFile(file, use);
	let descriptor: number | null = null;
	try {
		const { sqlite, migration, isAlone } = openFile(file, lock, use);
		const isInPlace = file === null ? () => true : watchPlace(file);
		const writer = new Writer(sqlite, () => {
			if (!isInPlace()) throw displaced(file ?? path);
		});
		return {
			path: file ?? path,
			sqlite,
			migration,
			get statistics() {
				return writer.figures;
			},
			prepare: (text) => prepare(sqlite, text),
			read: (task) => runSync(task()),
			write: writer.change,
			writeUnsynced: writer.changeAtOnce,
			// The whole commit is one turn.
			lock: () => nothing,
			eventWatermarks: horizonOf(sqlite),
			async scrub() {
				await writer.drain();
				if (file === null) return;
				descriptor ??= openSync(file, "r+");
				await scrub(sqlite, descriptor, file);
			},
			publish: writer.announce,
			subscribe: writer.listen,
			checkFreshness: writer.look,
			metrics: [sizeMetric(file ?? path)],
			isShared: false,
			withDeadline: (request) => request(),
			withoutDeadline: (work) => work(),
			rateLimitCounter: null,
			isAlone,
			isReadable: () => isInPlace() && answers(sqlite),
			async close() {
				await writer.drain();
				if (use === "serve") mergeLog(sqlite);
				sqlite.close();
				if (descriptor !== null) closeSync(descriptor);
				lock?.close();
			},
		};
	} catch (error) {
		lock?.abandon();
		throw error;
	}
}

function prepare(sqlite: Database, text: string): Statement {
	const prepared = sqlite.prepare<Record<string, unknown>, SQLQueryBindings[]>(
		text,
	);
	return {
		get: (parameters, read) =>
			immediate(() => {
				const row = prepared.get(...parameters);
				return row === null ? undefined : read(row);
			}),
		all: (parameters, read) =>
			immediate(() => prepared.all(...parameters).map(read)),
		run: (parameters) =>
			immediate(() => {
				prepared.run(...parameters);
			}),
	};
}

const nothing = immediate(() => {});

/** @see Store.eventWatermarks */
function horizonOf(sqlite: Database): Store["eventWatermarks"] {
	// SQLite makes this table with the first one that has AUTOINCREMENT.
	const statement = once(() =>
		sqlite.prepare<{ seq: number }, []>(
			"SELECT seq FROM sqlite_sequence WHERE name = 'events'",
		),
	);
	return () =>
		immediate(() => {
			const newest = statement().get()?.seq ?? 0;
			return { final: newest, newest };
		});
}

function sizeMetric(path: string): EngineMetric {
	return {
		kind: "gauge",
		name: "resort_database_size_bytes",
		help: "Size of the database file and its write-ahead log.",
		label: "file",
		read: () => ({ main: sizeOf(path), wal: sizeOf(`${path}-wal`) }),
	};
}

/** @returns 0 for a file that is not there, as `:memory:` never is */
function sizeOf(path: string): number {
	return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function openFile(
	file: string | null,
	lock: Lock | null,
	use: "serve" | "administer",
): Pick<SqliteStore, "sqlite" | "migration" | "isAlone"> {
	let sqlite: Database | undefined;
	try {
		const opened = openToServe(file ?? ":memory:");
		sqlite = opened.sqlite;
		// An instance of an older version must not serve the file when it is migrated.
		if (use === "administer" && schemaVersion(sqlite) < migrations.length) {
			lock?.upgrade();
		}
		// A file that cannot be written is reported now, not at the first change.
		sqlite.run("BEGIN IMMEDIATE");
		sqlite.run("ROLLBACK");
		if (file !== null) requireOwnSchema(sqlite, file);
		const migration = migrate(sqlite, file);
		// From here on the writer waits, not the connection.
		sqlite.run("PRAGMA busy_timeout = 0");
		return { sqlite, migration, isAlone: opened.isAlone };
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
	return storageUnavailable(
		new Error(
			`${file}, or its -wal, was removed or replaced; put it back or start anew`,
		),
	);
}

function answers(sqlite: Database): boolean {
	try {
		readCell(sqlite, "SELECT 1 FROM agents LIMIT 1");
		return true;
	} catch {
		return false;
	}
}

/** Moves the write-ahead log into the file, so that the file alone holds everything. */
function mergeLog(sqlite: Database): void {
	try {
		sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	} catch {
		// On a full disk the log stays beside the file, and the next start reads it.
	}
}

/** Refuses a newer program's file before anything is opened that could change it. */
function inspect(file: string): void {
	const version = schemaInHeader(file);
	if (version !== null && version > migrations.length) {
		throw newerDatabase(file, version);
	}
}
