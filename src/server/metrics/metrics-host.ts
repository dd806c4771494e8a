import { isAddress, isLoopback } from "../../lib/ip-address.ts";

/** Characters that no `Host` contains, and that would change which part of a URL is the host. */
const NOT_IN_A_HOST = /[/@?#\\\s]/;

/**
 * Decides whether to answer a scrape by its `Host`. A web page can make its own domain resolve to the address of the
 * metrics (DNS rebinding), and then read them; its requests have that domain as `Host`. So `Host` must be a loopback
 * name or address. If `--metrics-host` is not loopback, it may also be any IP address, the value of `--metrics-host`, or
 * a name without a dot, as containers use.
 * @param host null if there is none; browsers always send one
 * @param metricsHost the value of `--metrics-host`
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
		isAddress(name.replace(/^\[|\]$/g, "")) ||
		!name.includes(".") ||
		name === metricsHost.toLowerCase()
	);
}
