import { StartError } from "../lib/start-error.ts";

/** The exit codes; see docs/client.md. */
export type ExitCode = 0 | 1 | 2 | 4 | 5 | 6 | 7 | 8;

/** A call that the resort refuses. */
export interface Refusal {
	readonly status: number;
	/** 0 if the answer does not contain it. */
	readonly retryAfterSeconds: number;
	/** The field that is invalid; empty if it is none. */
	readonly field: string;
}

/** The failure of a command; its message is one line for the person who ran it. */
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

	/** Whether it may pass: no answer, an overload, or a limit. */
	get isTemporary(): boolean {
		const { status = 0 } = this.refusal ?? {};
		return this.exitCode === 7 || status === 429 || status >= 500;
	}
}

/** The reader of stdout has ended, such as `head`. This is not a failure. */
export class ReaderGone extends Error {}
