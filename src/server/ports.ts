import { isOwnAddress } from "../lib/direct-calls.ts";
import { codeOf } from "../lib/error-reason.ts";
import { StartError } from "../lib/start-error.ts";

/**
 * The hosts that mean all addresses of the machine, as {@link URL} writes them, each with the addresses at which a
 * client on this machine can connect. `::` accepts IPv4 too, also where IPv6 is off.
 */
const everywhere = new Map([
	["0.0.0.0", ["127.0.0.1"]],
	["[::ffff:0:0]", ["127.0.0.1"]],
	["[::]", ["::1", "127.0.0.1"]],
]);

/** Returns the URL by which programs on this machine reach a server that listens on `host`. */
export function localAddress(host: string, port: number): string {
	const { hostname = "" } = URL.parse(`http://${bracketed(host)}`) ?? {};
	const reachable = everywhere.get(hostname)?.find(isOwnAddress) ?? host;
	return `http://${bracketed(reachable)}:${port}`;
}

function bracketed(host: string): string {
	return host.includes(":") ? `[${host}]` : host;
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
