/** Header fields of every answer; a document says otherwise of its type and caching. */
export const headersOfAll = {
	"content-type": "application/json",
	"x-content-type-options": "nosniff",
	"referrer-policy": "no-referrer",
	"cache-control": "no-store",
};

/** Those of answers that need no credential: pages of any origin may read them. */
export const headersOfPublic = { "access-control-allow-origin": "*" };
