import { reasonOf } from "./error-reason.ts";

/** An error that ends the program. Its message is one line for the person who started it. */
export class StartError extends Error {
	/**
	 * @param exitCode the program's exit code; 127 means, as in a shell, that a command could not be started
	 * @param hint a sentence that suggests what to do; empty if there is none
	 */
	constructor(
		message: string,
		readonly exitCode = 1,
		readonly hint = "",
	) {
		super(message);
		this.name = "StartError";
	}

	/** The message and the hint on one line. */
	get withHint(): string {
		return [this.message, this.hint].filter(Boolean).join(". ");
	}
}

/** An invalid setting. The program's exit code is 2. */
export class SettingError extends StartError {
	constructor(message: string) {
		super(message, 2);
	}
}

/** An invalid command line. The program appends a reference to its help text. */
export class UsageError extends SettingError {}

/** Thrown if a file that the program must create already exists. */
export class NameTaken extends StartError {
	constructor(path: string) {
		super(`${path} already exists and was not overwritten`);
	}
}

/**
 * Converts an error to a StartError with a message of one line. Returns a StartError unchanged.
 * @param what the failed action, as the beginning of the message
 */
export function because(what: string, error: unknown): StartError {
	return error instanceof StartError ? error : new StartError(`${what}: ${reasonOf(error)}`);
}
