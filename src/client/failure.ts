/** What the exit codes say; see docs/client.md. */
export type ExitCode = 0 | 1 | 2 | 4 | 5 | 6 | 7 | 8;

/** Why a command fails; its message is one line for the person who gave it. */
export class Failure extends Error {
	/** @param hint what helps; empty when nothing is known */
	constructor(
		message: string,
		readonly exitCode: ExitCode,
		readonly hint = "",
	) {
		super(message);
		this.name = "Failure";
	}

	/** Message and hint in one line. */
	get told(): string {
		return [this.message, this.hint].filter(Boolean).join(". ");
	}
}

/** The reader of stdout has seen enough, such as `head`: no failure. */
export class ReaderGone extends Error {}

/** A wrong command line. */
export function usage(message: string): Failure {
	return new Failure(message, 2);
}
