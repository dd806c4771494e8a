import { ResortError } from "../lib/resort-error.ts";

/** When a caller may try again after the storage failed. */
const RETRY_SECONDS = 5;

/**
 * The failure of a call whose storage failed.
 * @param cause for the log alone
 */
export function storageUnavailable(cause: unknown): ResortError {
	return Object.assign(
		new ResortError("unavailable", "Storage unavailable", {
			retryAfterSeconds: RETRY_SECONDS,
		}),
		{ cause },
	);
}
