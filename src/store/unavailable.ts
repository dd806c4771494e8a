import { ResortError } from "../lib/resort-error.ts";

/** The `Retry-After` of a storage failure. */
const RETRY_SECONDS = 5;

/**
 * Returns the error for a call whose storage failed.
 * @param cause only for the log
 * @param hint for the caller
 */
export function storageUnavailable(cause: unknown, hint?: string): ResortError {
	return Object.assign(
		new ResortError("unavailable", "Storage unavailable", {
			retryAfterSeconds: RETRY_SECONDS,
			...(hint !== undefined && { hint }),
		}),
		{ cause },
	);
}
