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
