import type { Environment } from "../lib/environment.ts";
import type { CheckResult } from "./check-result.ts";
import type { Source, Target } from "./copy/copy-endpoints.ts";
import type { OpenedStore } from "./store.ts";

/** What a database is used with. */
export interface Opening {
	/** A value of `--database` that the engine accepts. */
	readonly database: string;
	/** How many connections an engine with a server may open. */
	readonly connections: number;
	/** Where passwords are found that are not in `database`. */
	readonly environment: Environment;
	/** Whether the database is opened for the administration, beside the instance that may serve it. */
	readonly isAdministration?: boolean;
}

/** A back-up that was made. */
export interface BackUp {
	/** Its whole path. */
	readonly path: string;
	readonly bytes: number;
}

/** A back-up that is read from an open file without a name. */
export interface NamelessBackUp extends Disposable {
	/** Of the file, at its beginning. */
	readonly descriptor: number;
	readonly bytes: number;
}

/** A database that was replaced by a back-up. */
export interface Restored {
	/** The whole path of the database. */
	readonly path: string;
	/** The whole path under which the database from before is kept; null when there was none. */
	readonly kept: string | null;
}

/** What keeps the databases: all that the program asks of it before there is a store, and instead of one. */
export interface Engine {
	/** What people call it. */
	readonly name: string;
	/** The values of `--database` that are its own, as a part of a sentence. */
	readonly databases: string;
	/** Whether its databases are kept by a server, to which each instance connects. */
	readonly hasServer: boolean;
	/** How the name of a back-up ends. */
	readonly backUpEnding: string;
	/** What copies one of its databases to another one, as the end of a sentence. */
	readonly ownCopy: string;

	/** Whether a value of `--database` names it, with or without a fault. */
	isNamedBy(database: string): boolean;
	/** Whether a value that is meant for it has no fault. */
	accepts(database: string): boolean;
	/** What is wrong with a value, as the end of a sentence; null where no more is known than {@link accepts} tells. */
	faultOf(database: string): string | null;
	/** What may be told of a value, right or wrong: no password is in it. */
	shown(database: string): string;

	/**
	 * Opens a database to serve it, and brings it to the newest schema.
	 * @throws StartError when it cannot be used; it is left as it was
	 */
	open(opening: Opening): Promise<OpenedStore>;
	/**
	 * Checks a database that may be in use and the place where it is or will be, and changes nothing.
	 * @throws StartError with exit code 2 when a file that the setting names cannot be used
	 */
	examine(opening: Opening): Promise<CheckResult[]>;
	/**
	 * Copies a database to a file, also while it is served.
	 * @param signal ends it; the file is not made then
	 * @throws StartError when it cannot, or when another program does this for the engine, which is told; NameTaken when
	 * the file is there
	 */
	backUp(
		database: string,
		file: string,
		environment: Environment,
		signal: AbortSignal,
	): Promise<BackUp>;
	/**
	 * Copies a database to be read at once, as {@link backUp}.
	 * @param folder where the copy is written; null for where the database is
	 */
	backUpNameless(
		database: string,
		folder: string | null,
		environment: Environment,
		signal: AbortSignal,
	): Promise<NamelessBackUp>;
	/**
	 * Puts a back-up in the place of a database.
	 * @throws StartError as {@link backUp}; nothing has changed then
	 */
	restore(
		database: string,
		file: string,
		environment: Environment,
	): Promise<Restored>;
	/**
	 * Opens a database that nobody serves, to copy it to another engine.
	 * @param signal ends what waits for a server
	 * @throws StartError when it cannot be copied
	 */
	openSource(
		database: string,
		environment: Environment,
		signal: AbortSignal,
	): Promise<Source>;
	/** Makes a database for what another engine's had; as {@link openSource}. */
	openTarget(
		database: string,
		environment: Environment,
		signal: AbortSignal,
	): Promise<Target>;
}
