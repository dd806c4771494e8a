import type { Hint } from "./hint.ts";

/** The kinds of errors, with their HTTP statuses. */
export const statuses = {
	invalid: 400,
	unauthorized: 401,
	forbidden: 403,
	not_found: 404,
	too_large: 413,
	unsupported: 415,
	unprocessable: 422,
	rate_limited: 429,
	unavailable: 503,
	/** The call would add rows, but the database has reached a size limit. */
	full: 503,
} as const;

/**
 * The usual `retryAfterSeconds` of a refusal because of load or an outage. It is a guess, because nobody knows
 * when others will have finished.
 */
export const RETRY_SECONDS = 5;

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
		readonly code: keyof typeof statuses,
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
