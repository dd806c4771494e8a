import type { Config } from "../../config/config.ts";
import { originalRequest } from "../../http/absolute-request.ts";
import type { RequestObserver } from "../../http/transport.ts";
import { clientAddress } from "../../lib/ip-address.ts";
import type { Log } from "./log.ts";

/** The statuses whose callers' addresses are logged: a wrong credential, a forbidden call, a reached limit. */
const LOGGED = new Set([401, 403, 429]);

/** Logs requests. */
interface RequestLog {
	/** Must be called when a request arrives. */
	arrived(request: Request): void;
	/** Logs a request after its response; null if the level of the log excludes requests. */
	readonly observer: RequestObserver | null;
}

/**
 * Creates the log of requests. With `--log-addresses` its lines contain the full address of some callers, of which limits
 * use the network.
 * @param peerOf returns the peer address of an open connection
 */
export function createRequestLog(
	{ request: logRequest }: Log,
	config: Config,
	peerOf: (request: Request) => string,
): RequestLog {
	const hasAddresses = config["log-addresses"] && logRequest !== null;
	const peers = new WeakMap<Request, string>();
	const addressOf = (request: Request) =>
		clientAddress(
			peers.get(originalRequest(request)) ?? "",
			request.headers.get("x-forwarded-for"),
			config["trusted-proxies"],
		);
	const observer: RequestObserver = (completed, request) => {
		const { method, route, status, agentId, refused, requestId } = completed;
		const isRefused = LOGGED.has(status) || LOGGED.has(refused ?? 0);
		const address = hasAddresses && isRefused ? addressOf(request) : null;
		logRequest?.({
			...{ method, route, status },
			durationMs: Math.round(completed.durationMs * 1000) / 1000,
			agentId: agentId ?? undefined,
			refused: address === null ? undefined : (refused ?? undefined),
			address: address ?? undefined,
			requestId,
		});
	};
	return {
		arrived(request) {
			// The connection may be closed before the response.
			if (hasAddresses) peers.set(request, peerOf(request));
		},
		observer: logRequest && observer,
	};
}
