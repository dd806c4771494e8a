import type { CheckResult } from "./check.ts";
import type { OpenedStore } from "./store.ts";

/** The location of a database. */
export interface Location {
	/** A value of `--database` that is valid for the engine. */
	readonly database: string;
	/** The environment variables. They may contain passwords that are not in `database`. */
	readonly environment: NodeJS.ProcessEnv;
}

/** The location of a database that a command reads or writes, and the signal that stops the command. */
export interface Access extends Location {
	readonly signal: AbortSignal;
}

/** The options for opening a database. */
export interface Opening<Config> extends Location {
	/** The values of the engine's own settings. */
	readonly config: Config;
	/** Whether an administrative command opens the database, perhaps while an instance serves the database. */
	readonly isAdministration?: boolean;
}

/** The options for examining a database. */
export interface Examination<Config> extends Opening<Config> {
	/** The value of `--max-database`; 0 means unlimited. */
	readonly maxBytes: number;
}

/** A backup that has been completed. */
export interface BackUp {
	/** The absolute path of the backup. */
	readonly path: string;
	readonly bytes: number;
}

/** The result of restoring a database from a backup. */
export interface Restored {
	/** The absolute path of the database. */
	readonly path: string;
	/** The absolute path under which the replaced database was kept; null if no database was replaced. */
	readonly kept: string | null;
}

/**
 * A database engine: its name, and the functions that do not need an open database. `Config` is the type of
 * the values of the engine's own settings.
 */
export interface Engine<Config = never> {
	/** The name in messages. */
	readonly name: string;
	/** The valid `--database` values of this engine, as a phrase for error messages. */
	readonly databases: string;
	/** The forms of the valid `--database` values, for the help text. */
	readonly forms: readonly string[];
	/** The prefix of the `--database` values that are URLs of this engine. */
	readonly urlPrefix?: string;
	/** Whether instances connect to a database server. */
	readonly hasServer: boolean;
	/** The file name extension of a backup. */
	readonly backUpEnding: string;

	/** Whether a value of `--database`, which may be invalid, belongs to this engine. */
	isNamedBy(database: string): boolean;
	/**
	 * Returns why a `--database` value of this engine is invalid, as the end of a sentence; null if it is
	 * valid. The text is empty if the reason is unknown.
	 */
	faultOf(database: string): string | null;
	/** Returns a `--database` value with its passwords removed. The value may be invalid. */
	shown(database: string): string;

	/**
	 * Opens a database and migrates it to the newest schema. Creates a missing file, and a missing schema,
	 * unless an administrative command opens it.
	 * @throws StartError if the database cannot be used; it is then unchanged
	 */
	open(opening: Opening<Config>): Promise<OpenedStore>;
	/**
	 * Checks a database, which may be in use, and its location without changing anything.
	 * @throws StartError with exit code 2 if a file that the `--database` value names cannot be used
	 */
	examine(examination: Examination<Config>): Promise<CheckResult[]>;
	/**
	 * Copies a database, which may be in use, to a new file.
	 * @param file null for a temporary file, which the caller deletes
	 * @throws StartError if the copy fails, or if backups of this engine are made with another program, whose
	 * name is in the message; NameTaken if the file exists
	 */
	backUp(from: Access, file: string | null): Promise<BackUp>;
	/**
	 * Replaces a database with a backup.
	 * @throws StartError if the replacement fails, or if this engine has no backups; the database is then
	 * unchanged
	 */
	restore(to: Location, file: string): Promise<Restored>;
}

/** Returns a mistyped URL of a database, or `(hidden)` if it has a query or may contain a password. */
export function shownUrl(text: string): string {
	const rest = text.replace(/^(jdbc:)?((sqlite\d?|file):|[a-z][\w+.-]*:\/)/i, "");
	return /:.*@|:(?!\d+(\/|$))|[?=]/s.test(rest) ? "(hidden)" : text;
}

/** Returns the engine for a value of `--database`: the first one, unless another engine claims the value. */
export function engineOf<E extends Pick<Engine, "isNamedBy">>(engines: readonly E[], database: string): E {
	const engine = engines.find(({ isNamedBy }) => isNamedBy(database)) ?? engines[0];
	if (engine === undefined) throw new Error("no engine");
	return engine;
}
