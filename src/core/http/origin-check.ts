import { isAddress, isLoopback } from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Context } from "../resort/context.ts";
import type { Credentials, Operation } from "../resort/operation.ts";

/** The parts of the context that contain the names of this service. */
type Own = Pick<Context, "baseUrl" | "localHosts">;

/** The message of the error for a request that a page of another origin has sent. */
export const CROSS_ORIGIN = "Cross-origin request refused";

/**
 * Returns the reason to refuse a request that changes something, if a browser has sent it for a page of
 * another service; else null. Every interface with such requests uses this function.
 *
 * If `Origin` is missing or `null`, `Sec-Fetch-Site` decides, because a form on a page with `Referrer-Policy:
 * no-referrer` sends `null` even to its own origin. Pages cannot set either field themselves
 * (https://www.w3.org/TR/fetch-metadata/), and programs send neither.
 *
 * An origin is accepted if it equals that of the base URL, or if its host and port equal the request's
 * `Host`. If the base URL is `https:`, an `http:` origin is not accepted, because an attacker in the network
 * could have written such a page.
 *
 * In a DNS rebinding attack, a page makes its own name resolve to this machine, so the page's origin matches
 * `Host`. Therefore `Host` must be the host of the base URL, a loopback name, an IP address or a value of
 * `--test-hosts`.
 * @param hint the hint for a page of another origin
 * @param hasKey whether the call has a valid key. Pages of other origins cannot know a key, so with a key
 * only the host is checked
 */
export function refusalOfPage(
	{ headers }: Request,
	{ baseUrl, localHosts }: Own,
	hint: string,
	hasKey = false,
): ResortError | null {
	const origin = headers.get("origin");
	const site = headers.get("sec-fetch-site") ?? origin;
	if (site === null) return null;
	const own = new URL(baseUrl);
	// This is checked without `Host`, which a proxy may have replaced. No page can choose its `Origin`.
	if (origin === own.origin) return null;
	const authority = headers.get("host")?.toLowerCase();
	const isOwn =
		origin === null || origin === "null"
			? site === "same-origin" || site === "none"
			: origin === `https://${authority}` || (own.protocol === "http:" && origin === `http://${authority}`);
	if (!isOwn && !hasKey) {
		return new ResortError("forbidden", CROSS_ORIGIN, { hint });
	}
	const host = hostOf(headers);
	const isKnown =
		authority === undefined ||
		host === own.hostname ||
		isLocal(host, localHosts) ||
		isAddress(host.replace(/^\[|\]$/g, ""));
	if (isKnown) return null;
	return new ResortError("forbidden", "Unknown host name", {
		hint:
			"Browsers may change something only at the host of --base-url, at localhost and at IP " +
			"addresses. If this name is the resort's, start the resort with it: --base-url URL.",
	});
}

/**
 * Checks the origin of a call that a browser may have sent. A page of another origin must not change anything
 * with a visitor's session, and must not use up the rate limits of the visitor's address. GET calls are
 * accepted from any origin, unless they are calls of the test controls. Calls of the test controls must also
 * be addressed to a loopback name or a value of `--test-hosts`.
 * @param hasKey as for {@link refusalOfPage}
 * @throws ResortError `forbidden`
 */
export function checkOrigin(
	request: Request,
	{ method, credential, isLocal: isTest }: Operation,
	own: Own,
	hasKey: boolean,
): void {
	if (method === "GET" && !isTest) return;
	const { localHosts } = own;
	const hint = isTest
		? `Call ${["127.0.0.1", "[::1]", ...localHosts].join(", ")} or localhost from a program, or from a page of this service.`
		: (hints[credential] ?? "");
	if (isTest && !isLocal(hostOf(request.headers), localHosts)) {
		throw new ResortError("forbidden", CROSS_ORIGIN, { hint });
	}
	const refusal = refusalOfPage(request, own, hint, hasKey && !isTest);
	if (refusal !== null) throw refusal;
}

const hints: Partial<Record<Credentials, string>> = {
	none: "Send the request from a program, or from a page of this service.",
	any: "Send the request from this service's own origin, or with Authorization: Bearer <your key>.",
	key: "Send the request with Authorization: Bearer <your key>.",
	session: "Send the request from this service's own origin.",
};

/** Whether a host name is a loopback name or a value of `--test-hosts`. */
function isLocal(host: string, localHosts: readonly string[]): boolean {
	return isLoopback(host) || localHosts.includes(host);
}

/** Returns the request's host name in lower case, without the port; an empty string if there is none. */
function hostOf(headers: Headers): string {
	return URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
}

/** Whether this is a preflight request (https://fetch.spec.whatwg.org/#cors-preflight-request). */
export function isPreflight({ method, headers }: Request): boolean {
	const isAsked = headers.has("access-control-request-method");
	return method === "OPTIONS" && headers.has("origin") && isAsked;
}

/** Returns header fields that allow pages of an origin to use these methods and header fields, for a day. */
export function allowing(origin: string, methods: string, fields: string) {
	return {
		"access-control-allow-origin": origin,
		"access-control-allow-methods": methods,
		"access-control-allow-headers": fields,
		"access-control-max-age": "86400",
	};
}
