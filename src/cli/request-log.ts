import type { CoreConfig } from "../core/config/settings.ts";
import type { RequestObserver } from "../core/http/send-response.ts";
import { clientAddress } from "../core/lib/ip-address.ts";
import type { Log } from "../core/server/log/log.ts";

/**
 * The statuses of responses for which the caller's address is logged. They stand for an invalid credential, a
 * forbidden call, and an exceeded rate limit.
 */
const LOGGED = new Set([401, 403, 429]);

/**
 * Creates the observer that logs requests; null if the log level excludes them. With `--log-addresses`, lines
 * with one of the {@link LOGGED} statuses contain the caller's full address.
 */
export function logRequests(
	{ request: logRequest }: Log,
	{ "trusted-proxies": proxies }: CoreConfig,
): RequestObserver | null {
	if (logRequest === null) return null;
	return (completed, request) => {
		const { method, route, status, agentId, refused, requestId, hasWrongCredential, peer } = completed;
		const isRefused = LOGGED.has(status) || LOGGED.has(refused ?? 0);
		const forwardedFor = request.headers.get("x-forwarded-for");
		const address = peer !== null && isRefused ? clientAddress(peer, forwardedFor, proxies) : null;
		logRequest({
			method,
			route,
			status,
			durationMs: Math.round(completed.durationMs * 1000) / 1000,
			agentId: agentId ?? undefined,
			refused: address === null ? undefined : (refused ?? undefined),
			credential: address !== null && hasWrongCredential ? "refused" : undefined,
			address: address ?? undefined,
			requestId,
		});
	};
}
