import type { CheckResult } from "./check-result.ts";
import type { CopiedTable, Row } from "./copy/copied-tables.ts";
import type { OpenedStore } from "./store.ts";

/** The location of a database. */
export interface Location {
	/** A value of `--database` that is valid for the engine. */
	readonly database: string;
	/** The environment variables, which may contain passwords that are not in `database`. */
	readonly environment: NodeJS.ProcessEnv;
}

/** A database that a command reads or writes, and the signal that stops the command. */
export interface Access extends Location {
	readonly signal: AbortSignal;
}

/** The options of opening a database. */
export interface Opening extends Location {
	/** The maximum number of connections, for an engine with a server. */
	readonly connections: number;
	/** Whether `resort admin` opens the database. An instance may be serving the database at the same time. */
	readonly isAdministration?: boolean;
}

/** The parameters of an examination. */
export interface Examination extends Opening {
	/** The value of `--max-database`; 0 means unlimited. */
	readonly maxBytes: number;
}

/** A complete backup. */
export interface BackUp {
	/** The absolute path of the backup. */
	readonly path: string;
	readonly bytes: number;
}

/** The result of replacing a database by a backup. */
export interface Restored {
	/** The absolute path of the database. */
	readonly path: string;
	/** The absolute path under which the replaced database was kept; null if there was none. */
	readonly kept: string | null;
}

/** A snapshot of a database that is being copied. */
export interface Source {
	/** The location of the database, without a password. */
	readonly path: string;
	/** Reads a table in the order of its primary key, several rows at a time. */
	rows(table: CopiedTable): AsyncIterable<readonly Row[]>;
	/**
	 * Returns the highest event id that was ever assigned, even if the event has been deleted since; 0 if there was none.
	 */
	lastEventId(): Promise<number>;
	/** Closes the database unchanged. */
	close(): Promise<void>;
}

/** The database that is the target of a copy. Other programs do not see it before {@link Target.keep}. */
export interface Target extends Source {
	/** Inserts rows. @param json the same rows as a JSON array; bytes as `\\x` and hexadecimal digits */
	add(table: CopiedTable, rows: readonly Row[], json: string): Promise<void>;
	/**
	 * Checks the database, and creates what depends on all rows, such as indexes.
	 * @throws StartError if the database is not sound
	 */
	complete(): Promise<void>;
	/**
	 * Makes the database permanent. The next row of a table will get the number after the table's last row; the next
	 * event will get the id after `lastEventId`.
	 */
	keep(lastEventId: number): Promise<void>;
	/** Closes the database. Deletes it unless {@link Target.keep} was called. */
	close(): Promise<void>;
}

/** A database engine: its name, and the functions that do not belong to an open database. */
export interface Engine {
	/** The name in messages. */
	readonly name: string;
	/** A description of the `--database` values of this engine, for error messages. */
	readonly databases: string;
	/** Whether instances connect to a database server. */
	readonly hasServer: boolean;
	/** The file name extension of a backup. */
	readonly backUpEnding: string;

	/** Whether a value of `--database`, which may be invalid, belongs to this engine. */
	isNamedBy(database: string): boolean;
	/**
	 * Returns why a `--database` value of this engine is invalid, as the end of a sentence. Null if the value is valid,
	 * empty if the reason is unknown.
	 */
	faultOf(database: string): string | null;
	/** Returns a `--database` value with its passwords removed. The value may be invalid. */
	shown(database: string): string;

	/**
	 * Opens a database and migrates it to the newest schema.
	 * @throws StartError if the database cannot be used; the database is then unchanged
	 */
	open(opening: Opening): Promise<OpenedStore>;
	/**
	 * Checks a database and its location without changing anything. The database may be in use.
	 * @throws StartError with exit code 2 if a file named in the setting cannot be used
	 */
	examine(examination: Examination): Promise<CheckResult[]>;
	/**
	 * Copies a database to a file. Instances may be serving the database.
	 * @throws StartError if the copy fails, or if backups of this engine require another program, which the message
	 * names; NameTaken if the file exists
	 */
	backUp(from: Access, file: string): Promise<BackUp>;
	/**
	 * Like {@link backUp}, but the copy is an unlinked file.
	 * @param folder the folder of the copy; null for the folder of the database
	 * @returns the file descriptor, from which the copy can be read
	 */
	backUpNameless(from: Access, folder: string | null): Promise<number>;
	/**
	 * Replaces a database by a backup.
	 * @throws StartError like {@link backUp}; nothing is changed then
	 */
	restore(to: Location, file: string): Promise<Restored>;
	/**
	 * Opens a database in order to copy it to another engine. No instance may serve it.
	 * @throws StartError if it cannot be copied
	 */
	openSource(from: Access): Promise<Source>;
	/** Opens a new or empty database as the target of a copy. @throws StartError if it cannot be used */
	openTarget(to: Access): Promise<Target>;
}
