import { reasonOf } from "./error-reason.ts";

/** An error that ends the program; its message is one line for the person who started it. */
export class StartError extends Error {
	/**
	 * @param exitCode of the program: 127 if a command cannot be started, as in a shell; the client uses others
	 * @param hint what to do, as a sentence; empty if there is none
	 */
	constructor(
		message: string,
		readonly exitCode = 1,
		readonly hint = "",
	) {
		super(message);
		this.name = "StartError";
	}

	/** The message and the hint in one line. */
	get withHint(): string {
		return [this.message, this.hint].filter(Boolean).join(". ");
	}
}

/** An invalid setting. */
export class SettingError extends StartError {
	constructor(message: string) {
		super(message, 2);
	}
}

/** An invalid command line; the program adds a reference to its help. */
export class UsageError extends SettingError {}

/** A file that must not exist exists. */
export class NameTaken extends StartError {
	constructor(path: string) {
		super(`${path} already exists and is not overwritten`);
	}
}

/**
 * Returns an error as one line for the command line; a StartError stays as it is.
 * @param what failed: the beginning of the line
 */
export function because(what: string, error: unknown): StartError {
	return error instanceof StartError
		? error
		: new StartError(`${what}: ${reasonOf(error)}`);
}
