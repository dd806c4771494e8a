import type { Logger } from "@logtape/logtape";
import type { Config } from "../config/config.ts";
import { type Arrival, pathPatterns } from "../http/target.ts";
import { codeOf } from "../lib/failure.ts";
import { StartError } from "../lib/start-error.ts";
import { Listener } from "./listener.ts";
import type { MetricsListener } from "./metrics/metrics-listener.ts";

/** Closes connections over which nothing has come for so many seconds. */
const IDLE_SECONDS = 60;

/**
 * Listens for requests on the port of the resort.
 * @throws StartError with exit code 1 when it cannot be had
 */
export function listenForRequests(
	{ host, port }: Config,
	fetch: (request: Arrival) => Response | Promise<Response>,
	log: Logger,
): Listener {
	const serve = (port: number) =>
		Bun.serve({
			hostname: host,
			port,
			// The patterns tell the path as it came; the same function answers all of them.
			routes: Object.fromEntries(pathPatterns.map((path) => [path, fetch])),
			fetch,
			development: false,
			reusePort: false,
			idleTimeout: IDLE_SECONDS,
			// The body parser has a lower limit of its own, which it tells as every other failure is told.
			maxRequestBodySize: Number.MAX_SAFE_INTEGER,
			error: () => Response.json({ error: "Internal error" }, { status: 500 }),
		});
	try {
		return new Listener(serve, port, log);
	} catch (error) {
		throw cannotListen(`--host ${host} --port ${port}`, error);
	}
}

/**
 * Listens for scrapes of the metrics.
 * @param listenForScrapes that of the listener, which is loaded only when there are metrics
 * @throws StartError with exit code 1 when its port cannot be had
 */
export function listenForMetrics(
	{ "metrics-host": host, "metrics-port": port }: Config,
	listenForScrapes: (host: string, port: number) => MetricsListener,
): MetricsListener {
	try {
		return listenForScrapes(host, port);
	} catch (error) {
		throw cannotListen(`--metrics-host ${host} --metrics-port ${port}`, error);
	}
}

function cannotListen(flags: string, error: unknown): StartError {
	const code = codeOf(error);
	const reason =
		code === "EADDRINUSE"
			? "the port is in use"
			: `not an address of this machine, or a port that may not be used (${code || error})`;
	return new StartError(`cannot listen on ${flags}: ${reason}`, 1);
}
