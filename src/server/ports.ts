import type { Logger } from "@logtape/logtape";
import type { Config } from "../config/config.ts";
import { type MatchedRequest, pathPatterns } from "../http/request-target.ts";
import { codeOf } from "../lib/error-reason.ts";
import { StartError } from "../lib/start-error.ts";
import { Listener } from "./listener.ts";

/** How long a connection may be without traffic. */
const IDLE_SECONDS = 60;

/**
 * Listens for requests.
 * @throws StartError with exit code 1 if the port is not available
 */
export function listenForRequests(
	{ host, port }: Config,
	fetch: (request: MatchedRequest) => Response | Promise<Response>,
	log: Logger,
): Listener {
	const serve = (port: number) =>
		Bun.serve({
			hostname: host,
			port,
			// The parameters of the patterns contain the path as it was sent.
			routes: Object.fromEntries(pathPatterns.map((path) => [path, fetch])),
			fetch,
			development: false,
			reusePort: false,
			idleTimeout: IDLE_SECONDS,
			// The body parser has a lower limit and responds with an error in JSON.
			maxRequestBodySize: Number.MAX_SAFE_INTEGER,
			error: () => Response.json({ error: "Internal error" }, { status: 500 }),
		});
	return listenAt(
		`--host ${host} --port ${port}`,
		() => new Listener(serve, port, log),
	);
}

/**
 * Starts a server.
 * @param flags the settings of its address
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
		throw new StartError(`cannot listen on ${flags}: ${reason}`, 1);
	}
}
