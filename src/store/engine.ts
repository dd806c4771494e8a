import type { CheckResult } from "./check-result.ts";
import type { CopiedTable, Row } from "./copy/copied-tables.ts";
import type { OpenedStore } from "./store.ts";

/** Where a database is. */
export interface Location {
	/** A value of `--database` that the engine accepts. */
	readonly database: string;
	/** Contains passwords that are not in `database`. */
	readonly environment: NodeJS.ProcessEnv;
}

/** A database that a command reads or writes until a signal stops it. */
export interface Access extends Location {
	readonly signal: AbortSignal;
}

/** The options of opening a database. */
export interface Opening extends Location {
	/** How many connections an engine with a server may open. */
	readonly connections: number;
	/** Whether the database is opened for the administration, beside the instance that may serve it. */
	readonly isAdministration?: boolean;
}

/** A database that is examined. */
export interface Examination extends Opening {
	/** `--max-database`; 0 for none. */
	readonly maxBytes: number;
}

/** A complete backup. */
export interface BackUp {
	/** Its absolute path. */
	readonly path: string;
	readonly bytes: number;
}

/** A database that was replaced by a backup. */
export interface Restored {
	/** The absolute path of the database. */
	readonly path: string;
	/** The absolute path of the replaced database; null if there was none. */
	readonly kept: string | null;
}

/** A snapshot of a database that is copied. */
export interface Source {
	/** Where it is, without a password. */
	readonly path: string;
	/** Reads a table in the order of its primary key, some rows at a time. */
	rows(table: CopiedTable): AsyncIterable<readonly Row[]>;
	/** Returns the greatest id that an event ever got, even if it was deleted since; 0 if there was none. */
	lastEventId(): Promise<number>;
	/** Closes it unchanged. */
	close(): Promise<void>;
}

/** The database to which another one is copied. No other program sees it before {@link Target.keep}. */
export interface Target extends Source {
	/** Adds rows. @param json the same rows as a JSON array; bytes as `\\x` and hexadecimal digits */
	add(table: CopiedTable, rows: readonly Row[], json: string): Promise<void>;
	/**
	 * Checks it, and creates what needs all rows, such as indexes.
	 * @throws StartError if it is not sound
	 */
	complete(): Promise<void>;
	/** Makes it permanent. Its counters continue after the last rows; that of events after `lastEventId`. */
	keep(lastEventId: number): Promise<void>;
	/** Closes it. If it was not kept, nothing of it is left. */
	close(): Promise<void>;
}

/** A database engine: the functions that need no open store. */
export interface Engine {
	/** Its name in messages. */
	readonly name: string;
	/** Its values of `--database`, as a part of a sentence. */
	readonly databases: string;
	/** Whether instances connect to a database server. */
	readonly hasServer: boolean;
	/** The file name extension of a backup. */
	readonly backUpEnding: string;

	/** Whether a value of `--database`, which may be invalid, belongs to this engine. */
	isNamedBy(database: string): boolean;
	/**
	 * Why a value of this engine is invalid, as the end of a sentence; null if it is valid, empty if the
	 * reason is not known.
	 */
	faultOf(database: string): string | null;
	/** Returns a value, valid or not, without passwords. */
	shown(database: string): string;

	/**
	 * Opens a database and migrates it to the newest schema.
	 * @throws StartError if it cannot be used; then it stays unchanged
	 */
	open(opening: Opening): Promise<OpenedStore>;
	/**
	 * Checks a database, which may be in use, and its location, without changes.
	 * @throws StartError with exit code 2 if a file in the setting cannot be used
	 */
	examine(examination: Examination): Promise<CheckResult[]>;
	/**
	 * Copies a database to a file, also while it is served.
	 * @throws StartError if it fails, or if the engine has another program for backups, which the message names; NameTaken
	 * if the file exists
	 */
	backUp(from: Access, file: string): Promise<BackUp>;
	/**
	 * Like {@link backUp}, but the copy has no name.
	 * @param folder of the copy; null for the folder of the database
	 * @returns the descriptor of the copy, from which it can be read
	 */
	backUpNameless(from: Access, folder: string | null): Promise<number>;
	/**
	 * Replaces a database by a backup.
	 * @throws StartError like {@link backUp}; then nothing has changed
	 */
	restore(to: Location, file: string): Promise<Restored>;
	/**
	 * Opens a database that nobody serves, to copy it to another engine.
	 * @throws StartError if it cannot be copied
	 */
	openSource(from: Access): Promise<Source>;
	/** Opens a new or empty database to which another one is copied. @throws StartError if it cannot be used */
	openTarget(to: Access): Promise<Target>;
}
