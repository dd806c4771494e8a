/** Header fields of every answer that is not a document. */
export const headersOfAll = {
	"content-type": "application/json",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
} as const;

/** Those of answers that need no credential: pages of any origin may read them. */
export const headersOfPublic = {
	...headersOfAll,
	"access-control-allow-origin": "*",
} as const;

/** An answer with a validator may be kept, but must be asked for again (RFC 9111, 5.2.2.4). */
export const NO_CACHE = "no-cache";

/**
 * Header fields of ready answers without a validator, shared: copying such an object costs less than writing its
 * fields.
 */
export const freshHeaders = new Headers(headersOfPublic);

/** Header fields of ready answers with a validator. */
export const validatedHeaders = new Headers({
	...headersOfPublic,
	"cache-control": NO_CACHE,
});
