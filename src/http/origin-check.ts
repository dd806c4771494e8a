import { isLoopback } from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Credentials, Operation } from "../resort/operation.ts";

/**
 * Whether a page of another origin has sent the request. If `Origin` contains an origin, this origin decides. If
 * `Origin` is missing or `null`, `Sec-Fetch-Site` decides, because a form on a page with `Referrer-Policy: no-referrer`
 * sends `null` even to its own origin. Pages cannot set either field themselves
 * (https://www.w3.org/TR/fetch-metadata/), and programs send neither.
 *
 * An origin is accepted if it equals `ownOrigin`, or if its host and port equal the request's `Host`. If `ownOrigin` is
 * `https:`, an `http:` origin is not accepted, because an attacker in the network could have written such a page.
 * @param ownOrigin the origin of the base URL
 */
export function isForeign({ headers }: Request, ownOrigin: string): boolean {
	const origin = headers.get("origin");
	if (origin !== null && origin !== "null") {
		return !isOwn(origin, ownOrigin, headers.get("host"));
	}
	const site = headers.get("sec-fetch-site");
	if (site === null) return origin !== null;
	return site !== "same-origin" && site !== "none";
}

/**
 * Whether a page of another origin has sent the request to the MCP tools. In a DNS rebinding attack, the page's host
 * name resolves to this machine, so the page's origin matches the request's `Host`. Therefore, in requests by a
 * browser, a `Host` other than that of the base URL is trusted only if it is a loopback name.
 */
export function isForeignToTools(request: Request, ownOrigin: string): boolean {
	if (isForeign(request, ownOrigin)) return true;
	const { headers } = request;
	if (headers.get("origin") === ownOrigin) return false;
	const named = headers.has("origin") || headers.has("sec-fetch-site");
	const host = headers.get("host")?.toLowerCase();
	return (
		named && host !== new URL(ownOrigin).host && !isLoopback(hostOf(request))
	);
}

function isOwn(
	origin: string,
	ownOrigin: string,
	host: string | null,
): boolean {
	const schemes = ownOrigin.startsWith("https:")
		? ["https"]
		: ["http", "https"];
	const authority = host?.toLowerCase();
	return (
		origin === ownOrigin ||
		schemes.some((scheme) => origin === `${scheme}://${authority}`)
	);
}

/**
 * Checks the origin of a call that a browser may have sent. A page of another origin must not change anything with a
 * visitor's session, and must not use up the rate limits of the visitor's address. GET calls are accepted from any
 * origin, unless they are calls of the test controls. Calls of the test controls must also be addressed to a loopback
 * name or to one of `testHosts`.
 * @param testHosts host names in lower case
 * @throws ResortError `forbidden`
 */
export function checkOrigin(
	request: Request,
	{ method, credential, only }: Operation,
	baseUrl: string,
	testHosts: readonly string[],
): void {
	const isOfTestkit = only === "testkit";
	if (method === "GET" && !isOfTestkit) return;
	const host = hostOf(request);
	const isOwnHost =
		!isOfTestkit || isLoopback(host) || testHosts.includes(host);
	if (isOwnHost && !isForeign(request, new URL(baseUrl).origin)) return;
	const hosts = ["127.0.0.1", "[::1]", "localhost", ...testHosts];
	const hint = isOfTestkit
		? `Call ${hosts.slice(0, -1).join(", ")} or ${hosts.at(-1)} from a program, or from a page of this service.`
		: hints[credential];
	throw new ResortError("forbidden", "Cross-origin request refused", { hint });
}

const hints: Record<Credentials, string> = {
	none: "Send the request from a program, or from a page of this service.",
	any: "Send the request from this service's own origin, or with Authorization: Bearer <your key>.",
	key: "Send the request with Authorization: Bearer <your key>.",
	session: "Send the request from this service's own origin.",
};

/** Returns the request's host name in lower case, without the port; an empty string if there is none. */
function hostOf({ headers }: Request): string {
	return URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
}
