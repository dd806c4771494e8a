import type { Config } from "../../config/config.ts";
import { originalRequest } from "../../http/absolute-request.ts";
import type { RequestObserver } from "../../http/completed-request.ts";
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
	{ exchange: logExchange }: Log,
	config: Config,
	peerOf: (request: Request) => string,
): RequestLog {
	const hasAddresses = config["log-addresses"] && logExchange !== null;
	const peers = new WeakMap<Request, string>();
	const addressOf: (...of: Parameters<RequestObserver>) => string | null = (
		{ status, refused },
		request,
	) => {
		if (!LOGGED.has(status) && !LOGGED.has(refused ?? 0)) return null;
		const peer = peers.get(originalRequest(request)) ?? "";
		const forwardedFor = request.headers.get("x-forwarded-for");
		return clientAddress(peer, forwardedFor, config["trusted-proxies"]);
	};
	return {
		arrived(request) {
			// The connection may be closed before the response.
			if (hasAddresses) peers.set(request, peerOf(request));
		},
		observer:
			logExchange &&
			((completed, request) =>
				logExchange(
					completed,
					hasAddresses ? addressOf(completed, request) : null,
				)),
	};
}
