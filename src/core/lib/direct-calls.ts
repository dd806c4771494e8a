import { isAddress, isLoopback } from "./ip-address.ts";

/**
 * Returns the option `proxy` of `fetch` for a URL: false for an address of this machine. The proxy of the
 * environment (`HTTP_PROXY`) may be another machine, which cannot reach it.
 */
export function proxyFor(url: string): false | undefined {
	const host = new URL(url).hostname.replaceAll(/[[\]]/g, "");
	const isOwn = isLoopback(host) || (isAddress(host) && isOwnAddress(host));
	return isOwn ? false : undefined;
}

/**
 * Whether this machine has an address. Listens there for a moment, because a list of the addresses is not
 * available everywhere: systemd's RestrictAddressFamilies prevents it.
 */
export function isOwnAddress(hostname: string): boolean {
	try {
		Bun.listen({ hostname, port: 0, socket: { data() {} } }).stop(true);
		return true;
	} catch {
		return false;
	}
}
