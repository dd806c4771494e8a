/**
 * Whether a browser asks if a page of another origin may send a request
 * (https://fetch.spec.whatwg.org/#cors-preflight-request).
 */
export function isPreflight({ method, headers }: Request): boolean {
	const isAsked = headers.has("access-control-request-method");
	return method === "OPTIONS" && headers.has("origin") && isAsked;
}

/**
 * Returns the header fields that allow pages of an origin to use these methods and request header fields for
 * a day.
 */
export function allowing(origin: string, methods: string, fields: string) {
	return {
		"access-control-allow-origin": origin,
		"access-control-allow-methods": methods,
		"access-control-allow-headers": fields,
		"access-control-max-age": "86400",
	};
}
