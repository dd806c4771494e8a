import { isLoopback } from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Caller, Credentials, Operation } from "../resort/operation.ts";

/**
 * Whether a page of another origin makes a request. The `Origin` decides where it names one. Where it is
 * missing or `null`, `Sec-Fetch-Site` does: a form of a page without a referrer sends `null` even to its own
 * origin, and no page can write either field itself (https://www.w3.org/TR/fetch-metadata/). A program sends
 * neither and is never foreign.
 *
 * Own are the origin of the base URL and that of the request's host. A base URL with `https:` means that
 * visitors come by TLS alone, so then `http:` of the same host is foreign: whoever controls the network could
 * have written that page.
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
 * Whether a request to tools is foreign. A page may have made its own name lead here (DNS rebinding), and then its
 * origin is that of the host: where no base URL says so, only this machine's own names are trusted.
 */
export function isForeignToTools(request: Request, ownOrigin: string): boolean {
	if (isForeign(request, ownOrigin)) return true;
	const { headers } = request;
	if (headers.get("origin") === ownOrigin) return false;
	const named = headers.has("origin") || headers.has("sec-fetch-site");
	const host = headers.get("host")?.toLowerCase();
	return named && host !== new URL(ownOrigin).host && !isLoopbackHost(request);
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
 * Creates the check of a call's origin. Pages of other origins change nothing, neither with the session nor at the cost
 * of the limits of a visitor. The test controls accept only calls to a loopback name or a configured one.
 * @param testHosts the configured names
 * @returns a function that throws ResortError `forbidden`
 */
export function originCheck(
	request: Request,
	{ method, credential, only }: Operation,
	baseUrl: string,
	testHosts: readonly string[],
): (caller: Caller | null) => void {
	const isByForeign = () => isForeign(request, new URL(baseUrl).origin);
	return (caller) => {
		if (only === "testkit") {
			if (isToTests(request, testHosts) && !isByForeign()) return;
			const hosts = ["127.0.0.1", "[::1]", "localhost", ...testHosts];
			throw crossOrigin(
				`Call ${hosts.slice(0, -1).join(", ")} or ${hosts.at(-1)} from a program, or from a page of this service.`,
			);
		}
		const isByPage = caller === null || caller.credential.kind === "session";
		if (method === "GET" || !isByPage || !isByForeign()) return;
		throw crossOrigin(hints[credential]);
	};
}

const hints: Record<Credentials, string> = {
	none: "Send the request from a program, or from a page of this service.",
	any: "Send the request from this service's own origin, or with Authorization: Bearer <your key>.",
	key: "Send the request with Authorization: Bearer <your key>.",
	session: "Send the request from this service's own origin.",
};

/**
 * Whether a request is made to this machine by a name of its own. A page may have made its own name lead
 * here (DNS rebinding), and then its origin is that of the host.
 */
function isLoopbackHost(request: Request): boolean {
	return isLoopback(hostOf(request));
}

/** Whether a request may be for the test controls. */
function isToTests(request: Request, testHosts: readonly string[]): boolean {
	const host = hostOf(request);
	return isLoopback(host) || testHosts.includes(host);
}

/** The name of the host that a request calls, in lower case and without its port; empty when it is none. */
function hostOf({ headers }: Request): string {
	return URL.parse(`http://${headers.get("host")}`)?.hostname ?? "";
}

function crossOrigin(hint: string): ResortError {
	return new ResortError("forbidden", "Cross-origin request refused", { hint });
}
