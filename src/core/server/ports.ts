import { codeOf } from "../lib/error-reason.ts";
import { isAddress, isLoopback } from "../lib/ip-address.ts";
import { StartError } from "../lib/start-error.ts";

/** Matches the addresses that mean all addresses of the machine. `::` accepts IPv4 too. */
const EVERYWHERE = /^(::ffff:)?[0:.]+$/i;

/** Returns the URL by which programs on this machine reach a server that listens on `host`. */
export function localAddress(host: string, port: number): string {
	const own = ["127.0.0.1", "::1"];
	const reachable = (EVERYWHERE.test(host) && own.find(isOwnAddress)) || host;
	return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * Starts a server.
 * @param flags the settings of the server's address, for the error message
 * @throws StartError with exit code 1 if the port is not available
 */
export function listenAt<T>(flags: string, listen: () => T): T {
	try {
		return listen();
	} catch (error) {
		const code = codeOf(error);
		const reason =
			code === "EADDRINUSE"
				? "the port is in use"
				: `not an address of this machine, or a port that may not be used (${code || error})`;
		throw new StartError(`cannot listen on ${flags}: ${reason}`);
	}
}

/**
 * Returns the option `proxy` of `fetch` for a URL: false for an address of this machine, which the proxy of
 * the environment (`HTTP_PROXY`) may be unable to reach.
 */
export function proxyFor(url: string): false | undefined {
	const host = new URL(url).hostname.replaceAll(/[[\]]/g, "");
	const isOwn = isLoopback(host) || (isAddress(host) && isOwnAddress(host));
	return isOwn ? false : undefined;
}

/**
 * Whether an address belongs to this machine. Listens at the address for a moment, because systemd's
 * RestrictAddressFamilies does not allow the program to list the addresses.
 */
function isOwnAddress(hostname: string): boolean {
	try {
		Bun.listen({ hostname, port: 0, socket: { data() {} } }).stop(true);
		return true;
	} catch {
		return false;
	}
}
