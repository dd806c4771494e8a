import { isLoopback } from "../../lib/address.ts";

/** What a `Host` field never holds, but what would make a URL parser look for the host elsewhere. */
const NOT_IN_A_HOST = /[/@?#\\\s]/;

/**
 * Judges the `Host` of a scrape. A web page can make its own domain resolve to the listener's address (DNS
 * rebinding), and the browser then lets the page read the answer; the page's domain is in `Host`. So `Host`
 * must be a name that no page of the public web can have: a loopback name or address, and, when the listener
 * is not on loopback, also any IP address, the listener's own name, and a name without a dot, as containers
 * call each other.
 * @param host the field; null when there is none, which no browser sends
 * @param metricsHost what `--metrics-host` says
 */
export function isMetricsHost(
	host: string | null,
	metricsHost: string,
): boolean {
	if (host === null) return true;
	if (NOT_IN_A_HOST.test(host)) return false;
	const name = URL.parse(`http://${host}`)?.hostname ?? "";
	if (name === "") return false;
	if (isLoopback(name)) return true;
	if (isLoopback(metricsHost)) return false;
	return (
		isAddress(name) || !name.includes(".") || name === metricsHost.toLowerCase()
	);
}

/** Whether the hostname of a parsed URL is an IPv4 or IPv6 address. */
function isAddress(name: string): boolean {
	return name.startsWith("[") || /^\d+(\.\d+){3}$/.test(name);
}
