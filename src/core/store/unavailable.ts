import { ResortError } from "../lib/resort-error.ts";

/** The `Retry-After` of a database failure, in seconds. */
const RETRY_SECONDS = 5;

/** Creates the error for a call that failed because of the database. `cause` is only logged. */
export function storageUnavailable(cause: unknown, hint?: string): ResortError {
	return Object.assign(
		new ResortError("unavailable", "Storage unavailable", {
			retryAfterSeconds: RETRY_SECONDS,
			...(hint !== undefined && { hint }),
		}),
		{ cause },
	);
}
