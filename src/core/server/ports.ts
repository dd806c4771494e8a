import { codeOf } from "../lib/error-reason.ts";
import { isAddress, isLoopback } from "../lib/ip-address.ts";
import { StartError } from "../lib/start-error.ts";

/** Matches wildcard addresses: a server at such an address listens at all addresses. `::` includes IPv4. */
const EVERYWHERE = /^(::ffff:)?[0:.]+$/i;

/** Returns the URL by which programs on this machine reach a server that listens on `host`. */
export function localAddress(host: string, port: number): string {
	const own = ["127.0.0.1", "::1"];
	const reachable = (EVERYWHERE.test(host) && own.find(isOwnAddress)) || host;
	return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/**
 * Starts a server.
 * @param flags the command-line flags that set the server's address, for the error message
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
 * Returns the option `proxy` of `fetch` for a URL. It is false for addresses of this machine, because the
 * proxy that `HTTP_PROXY` sets may be unable to reach this machine.
 */
export function proxyFor(url: string): false | undefined {
	const host = new URL(url).hostname.replaceAll(/[[\]]/g, "");
	const isOwn = isLoopback(host) || (isAddress(host) && isOwnAddress(host));
	return isOwn ? false : undefined;
}

/**
 * Whether an address belongs to this machine. Tests it by listening at the address for a moment, because
 * systemd's RestrictAddressFamilies does not let the program list the addresses.
 */
function isOwnAddress(hostname: string): boolean {
	try {
		Bun.listen({ hostname, port: 0, socket: { data() {} } }).stop(true);
		return true;
	} catch {
		return false;
	}
}
