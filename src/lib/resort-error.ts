/** The kind of an error, which each interface maps to its own status. */
export type ErrorCode =
	| "invalid"
	| "unauthorized"
	| "forbidden"
	| "not_found"
	| "too_large"
	| "rate_limited"
	| "unavailable"
	/** The database may not grow. */
	| "full";

/** Optional parts of an error. */
export interface ErrorDetails {
	/** One sentence with a call that would help, as method and path. */
	readonly hint?: string;
	/** The name of the invalid field or parameter. */
	readonly field?: string;
	/** The number of seconds after which the call may succeed. */
	readonly retryAfterSeconds?: number;
	/** Whether the caller presented a credential that is not valid. */
	readonly refusesCredential?: true;
	/** Whether the rate limit does not count the call. */
	readonly refundsLimit?: true;
	/** Whether the connection is closed, because the rest of the request is not read. */
	readonly closesConnection?: true;
}

/** An error that is reported to the caller, with a message for the caller. */
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

/** Returns the error for a request that is not valid, or not possible in the current state. */
export function invalid(message: string, details?: ErrorDetails): ResortError {
	return new ResortError("invalid", message, details);
}
