import type { Hint } from "./hint.ts";

/** The kind of an error. `FailureAnswers` in `calls/` maps each kind to an HTTP status. */
export type ErrorCode =
	| "invalid"
	| "unauthorized"
	| "forbidden"
	| "not_found"
	| "too_large"
	| "unsupported"
	| "rate_limited"
	| "unavailable"
	| "unprocessable"
	/** The call would add rows, but the database has reached a size limit. */
	| "full";

/** Optional properties of an error. */
export interface ErrorDetails {
	/** A sentence that suggests what to do. If it names calls, it is a {@link Hint}. */
	readonly hint?: string | Hint;
	/** The name of the invalid field or parameter. */
	readonly field?: string;
	/** The number of seconds after which the call may succeed. */
	readonly retryAfterSeconds?: number;
	/** Whether the caller sent an invalid credential. */
	readonly refusesCredential?: true;
	/** If set, the failed call does not count towards its rate limit. */
	readonly refundsLimit?: true;
	/** Whether the connection must be closed, because the rest of the request is not read. */
	readonly closesConnection?: true;
}

/** An error that is reported to the caller. Its message is written for the caller. */
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

/** Creates the error for a request that is invalid, or that is impossible in the current state. */
export function invalid(message: string, details?: ErrorDetails): ResortError {
	return new ResortError("invalid", message, details);
}
