import { ResortError } from "../lib/resort-error.ts";

/** When a caller may try again after the storage failed. */
const RETRY_SECONDS = 5;

/**
 * The failure of a call whose storage failed.
 * @param cause for the log alone
 * @param hint for the caller, when there is more to know
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
