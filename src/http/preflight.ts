import { DAY_MS, SECOND_MS } from "../lib/clock.ts";
import { isPublic } from "../pipeline/serialize.ts";
import type { Operation } from "../resort/operation.ts";

/** How long browsers may remember that a request is allowed. */
const MAX_AGE = String(DAY_MS / SECOND_MS);

/**
 * Whether a browser asks if a page of another origin may send a request
 * (https://fetch.spec.whatwg.org/#cors-preflight-request).
 */
export function isPreflight({ method, headers }: Request): boolean {
	return (
		method === "OPTIONS" &&
		headers.has("origin") &&
		headers.has("access-control-request-method")
	);
}

/** Whether a preflight is for a read that needs no credential. HEAD needs no permission other than that of GET. */
export function asksForPublicRead(
	{ headers }: Request,
	operations: readonly Operation[],
): boolean {
	const sent = headers.get("access-control-request-method");
	const method = sent === "HEAD" ? "GET" : sent;
	return operations.some((one) => one.method === method && isPublic(one));
}

/**
 * Returns the header fields of the answer to a preflight that is allowed.
 * @param headers the names of the request header fields that pages may send
 */
export function allowing(
	origin: string,
	methods: string,
	headers: string,
): Record<string, string> {
	return {
		"access-control-allow-origin": origin,
		"access-control-allow-methods": methods,
		"access-control-allow-headers": headers,
		"access-control-max-age": MAX_AGE,
	};
}
