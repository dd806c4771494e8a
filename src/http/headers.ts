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

/** Those of answers with a validator: they may be kept, but must be asked for again. */
export const validatedHeaders = { "cache-control": "no-cache" } as const;
