import { reasonOf } from "./error-reason.ts";

/** Why the program cannot start; its message is one line for the person who starts it. */
export class StartError extends Error {
	/**
	 * @param exitCode 2 when a setting is wrong, 127 when a command cannot be started (as a shell says it),
	 * 1 for everything else
	 */
	constructor(
		message: string,
		readonly exitCode: 1 | 2 | 127,
	) {
		super(message);
		this.name = "StartError";
	}
}

/** A wrong command line; the program adds where the help is. */
export class UsageError extends StartError {
	constructor(message: string) {
		super(message, 2);
	}
}

/** Another process of the resort has the database. */
export class DatabaseInUse extends StartError {
	constructor(readonly database: string) {
		super(
			`database ${database} is in use by another resort process; stop it, or give another --database`,
			1,
		);
	}
}

/** A name that a file was to have is taken. */
export class NameTaken extends StartError {
	constructor(path: string) {
		super(`${path} exists already and is not overwritten`, 1);
	}
}

/**
 * A failure as one line for the person at the command line; a StartError is one already and stays as it is.
 * @param what what failed: the beginning of the line
 */
export function because(what: string, error: unknown): StartError {
	return error instanceof StartError
		? error
		: new StartError(`${what}: ${reasonOf(error)}`, 1);
}
