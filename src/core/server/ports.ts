import { isOwnAddress } from "../lib/direct-calls.ts";
import { codeOf } from "../lib/error-reason.ts";
import { StartError } from "../lib/start-error.ts";

/**
 * Matches the addresses that mean all addresses of the machine. `::` accepts IPv4 too, also where IPv6 is
 * off.
 */
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
