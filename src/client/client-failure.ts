/** The exit codes; see docs/client.md. */
export type ExitCode = 0 | 1 | 2 | 4 | 5 | 6 | 7 | 8;

/** The failure of a command; its message is one line for the person who ran it. */
export class Failure extends Error {
	constructor(
		message: string,
		readonly exitCode: ExitCode,
		readonly hint = "",
	) {
		super(message);
		this.name = "Failure";
	}

	get withHint(): string {
		return [this.message, this.hint].filter(Boolean).join(". ");
	}
}

/** A call that the service refuses, in its words. */
export class Refusal extends Failure {
	/** @param retryAfterSeconds 0 if the answer does not contain it; `field`: empty if no bound is broken */
	constructor(
		message: string,
		exitCode: ExitCode,
		hint: string,
		readonly status: number,
		readonly retryAfterSeconds: number,
		readonly field: string,
	) {
		super(message, exitCode, hint);
	}
}

/** The reader of stdout has ended, such as `head`. This is not a failure. */
export class ReaderGone extends Error {}
