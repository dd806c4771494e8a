import { StartError } from "../core/lib/start-error.ts";

/** The exit codes of failures; see docs/client.md. */
export type ExitCode = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** An error response of the resort. */
export interface Refusal {
	readonly status: number;
	/** 0 if the response has no `Retry-After` field. */
	readonly retryAfterSeconds: number;
	/** The name of the invalid field; empty if there is none. */
	readonly field: string;
}

/** The failure of a command. Its message is one line for the user. */
export class Failure extends StartError {
	constructor(
		message: string,
		exitCode: ExitCode,
		hint = "",
		readonly refusal: Refusal | null = null,
	) {
		super(message, exitCode, hint);
		this.name = "Failure";
	}

	/** Whether a retry may succeed: there was no response, the resort failed, or a rate limit was exceeded. */
	get isTemporary(): boolean {
		const { status = 0 } = this.refusal ?? {};
		return this.exitCode === 7 || status === 429 || status >= 500;
	}
}

/** Thrown if an agent does not have the expected status. The command also prints the response. */
export class NotExpected extends Failure {
	/** @param body the body of the response, which contains the statuses */
	constructor(
		readonly body: Readonly<Record<string, unknown>>,
		retryAfterSeconds: number,
	) {
		super(`not as expected; try again in ${retryAfterSeconds} s`, 3);
	}
}

/** Thrown if the program that reads stdout has closed it, as `head` does. This is not a failure. */
export class ReaderGone extends Error {}
