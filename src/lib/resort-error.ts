/** What kind of failure it is; each door says it in its own way. */
export type ErrorCode =
	| "invalid"
	| "unauthorized"
	| "forbidden"
	| "not_found"
	| "too_large"
	| "rate_limited"
	| "unavailable";

/** What an error may teach beside its message. */
export interface ErrorDetails {
	/** One sentence: the next call that would help, as method and path. */
	readonly hint?: string;
	/** The name of the field or parameter that broke a bound. */
	readonly field?: string;
	/** Whole seconds after which the same call may succeed. */
	readonly retryAfterSeconds?: number;
	/** The refused call gives its place in its limit back. */
	readonly refundsLimit?: true;
}

/** A failure that the service means to report; its message is written for the caller. */
export class ResortError extends Error {
	constructor(
		readonly code: ErrorCode,
		message: string,
		readonly details: ErrorDetails = {},
	) {
		super(message);
		this.name = "ResortError";
	}
}
