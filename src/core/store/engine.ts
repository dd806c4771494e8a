import type { CheckResult } from "./check.ts";
import type { CopySource, CopyTarget } from "./copy.ts";
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
	/** Whether `resort admin` opens the database. An instance may serve the database at the same time. */
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

/** A database engine: its name, and the functions that do not belong to an open database. */
export interface Engine {
	/** The name in messages. */
	readonly name: string;
	/** The valid `--database` values of this engine, as a phrase for error messages. */
	readonly databases: string;
	/** Whether instances connect to a database server. */
	readonly hasServer: boolean;
	/** The file name extension of a backup. */
	readonly backUpEnding: string;

	/** Whether a value of `--database`, which may be invalid, belongs to this engine. */
	isNamedBy(database: string): boolean;
	/**
	 * Returns why a `--database` value of this engine is invalid, as the end of a sentence. Returns null if the
	 * value is valid, and an empty text if the value is invalid for an unknown reason.
	 */
	faultOf(database: string): string | null;
	/** Returns a `--database` value with its passwords removed. The value may be invalid. */
	shown(database: string): string;

	/**
	 * Opens a database and migrates it to the newest schema. An engine without a server creates a missing
	 * database.
	 * @throws StartError if the database cannot be used; the database is then unchanged
	 */
	open(opening: Opening): Promise<OpenedStore>;
	/**
	 * Checks a database and its location without changing anything. The database may be in use.
	 * @throws StartError with exit code 2 if a file that the `--database` value names cannot be used
	 */
	examine(examination: Examination): Promise<CheckResult[]>;
	/**
	 * Copies a database to a new file. Instances may serve the database at the same time.
	 * @param file null for a temporary file, which the caller deletes
	 * @throws StartError if the copy fails, or if this engine cannot make backups; the message then names the
	 * program that can
	 * @throws NameTaken if the file exists
	 */
	backUp(from: Access, file: string | null): Promise<BackUp>;
	/**
	 * Replaces a database by a backup.
	 * @throws StartError if the replacement fails, or if this engine cannot restore backups. The database is
	 * then unchanged
	 */
	restore(to: Location, file: string): Promise<Restored>;
	/**
	 * Opens a database in order to copy it to another engine. No instance may serve the database at the same
	 * time.
	 * @throws StartError if the database cannot be copied
	 */
	openSource(from: Access): Promise<CopySource>;
	/**
	 * Opens a new or empty database as the target of a copy, and creates the schema.
	 * @throws StartError if the database cannot be used
	 */
	openTarget(to: Access): Promise<CopyTarget>;
}
