import { isAddress, isLoopback } from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Context } from "../resort/context.ts";
import type { Credentials, Operation } from "../resort/operation.ts";

/** The parts of the context that contain the names of this service. */
type Own = Pick<Context, "baseUrl" | "testkit">;

/** The message of the error for a request that a page of another origin has sent. */
export const CROSS_ORIGIN = "Cross-origin request refused";

/**
 * Whether a page of another origin has sent the request. If `Origin` contains an origin, this origin decides. If
 * `Origin` is missing or `null`, `Sec-Fetch-Site` decides, because a form on a page with `Referrer-Policy: no-referrer`
 * sends `null` even to its own origin. Pages cannot set either field themselves
 * (https://www.w3.org/TR/fetch-metadata/), and programs send neither.
 *
 * An origin is accepted if it equals that of the base URL, or if its host and port equal the request's `Host`. If the
 * base URL is `https:`, an `http:` origin is not accepted, because an attacker in the network could have written such a
 * page.
 */
function isForeign({ headers }: Request, { baseUrl }: Own): boolean {
	const origin = headers.get("origin");
	if (origin === null || origin === "null") {
		const site = headers.get("sec-fetch-site") ?? origin;
		return site !== null && site !== "same-origin" && site !== "none";
	}
	const { origin: own, protocol } = new URL(baseUrl);
	const authority = headers.get("host")?.toLowerCase();
	const isHttp = protocol === "http:" && origin === `http://${authority}`;
	return origin !== own && origin !== `https://${authority}` && !isHttp;
}

/**
 * Returns the reason to refuse a request that changes something, if a browser has sent it for a page that is not of this
 * service. Every interface with such requests uses this function.
 * @param hint the hint for a page of another origin
 */
export function refusalOfPage(
	request: Request,
	own: Own,
	hint: string,
): ResortError | null {
	return isForeign(request, own)
		? new ResortError("forbidden", CROSS_ORIGIN, { hint })
		: refusalOfHost(request, own);
}

/**
 * Returns the reason to refuse a request that a browser has sent to an unknown host name. In a DNS rebinding attack, a
 * page makes its own name resolve to this machine, so the page's origin matches the request's `Host`. Therefore browsers
 * must use the host of the base URL, a loopback name, an IP address or a value of `--test-hosts`.
 */
function refusalOfHost(
	request: Request,
	{ baseUrl, testkit }: Own,
): ResortError | null {
	const { headers } = request;
	const origin = headers.get("origin");
	const isBrowser = origin !== null || headers.has("sec-fetch-site");
	if (!isBrowser || !headers.has("host")) return null;
	const host = hostOf(request);
	const own = new URL(baseUrl);
	const isKnown =
		// A proxy may replace `Host`, but no page can choose its `Origin`.
		origin === own.origin ||
		[own.hostname, ...(testkit?.hosts ?? [])].includes(host) ||
		isLoopback(host) ||
		isAddress(host.replace(/^\[|\]$/g, ""));
	if (isKnown) return null;
	return new ResortError("forbidden", "Unknown host name", {
		hint: "Browsers may change something only at the host of --base-url, at localhost and at IP addresses. If this name is the resort's, start the resort with it: --base-url URL.",
	});
}

/**
 * Checks the origin of a call that a browser may have sent. A page of another origin must not change anything with a
 * visitor's session, and must not use up the rate limits of the visitor's address. GET calls are accepted from any
 * origin, unless they are calls of the test controls. Calls of the test controls must also be addressed to a loopback
 * name or to a value of `--test-hosts`.
 * @param hasKey whether the call has a valid key. Pages of other origins cannot know it, so only the host is checked
 * @throws ResortError `forbidden`
 */
export function checkOrigin(
	request: Request,
	{ method, credential, only }: Operation,
	own: Own,
	hasKey: boolean,
): void {
	if (method === "GET" && only !== "testkit") return;
	const refusal =
		only === "testkit"
			? refusalOfTest(request, own)
			: hasKey
				? refusalOfHost(request, own)
				: refusalOfPage(request, own, hints[credential]);
	if (refusal !== null) throw refusal;
}

function refusalOfTest(request: Request, own: Own): ResortError | null {
	const { hosts = [] } = own.testkit ?? {};
	const host = hostOf(request);
	const isLocal = isLoopback(host) || hosts.includes(host);
	if (isLocal && !isForeign(request, own)) return null;
	const all = ["127.0.0.1", "[::1]", "localhost", ...hosts];
	return new ResortError("forbidden", CROSS_ORIGIN, {
		hint: `Call ${all.slice(0, -1).join(", ")} or ${all.at(-1)} from a program, or from a page of this service.`,
	});
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
