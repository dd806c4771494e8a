import type { CallRecord, RequestInfo } from "../pipeline/call.ts";

/** The route of a request for an unknown path. */
export const UNKNOWN_ROUTE = "unknown";

/** Other methods are recorded as `other`, so that clients cannot create labels of metrics. */
const METHODS = new Set([
	...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
]);

/** A request that was answered. The client chose nothing in it but the request id. */
export interface CompletedRequest extends RequestInfo {
	/** Null if the request is for no operation. */
	readonly operationId: string | null;
	readonly status: number;
	/** When it arrived, by `performance.now()`. */
	readonly startedAt: number;
	readonly durationMs: number;
	readonly agentId: CallRecord["agentId"];
	readonly waited: CallRecord["waited"];
	readonly fault: CallRecord["fault"];
	readonly refused: CallRecord["refused"];
}

/** Receives every request after its response. */
export type RequestObserver = (
	completed: CompletedRequest,
	request: Request,
) => void;

/**
 * Passes a request to an observer.
 * @param startedAt by `performance.now()`
 */
export function observe(
	observer: RequestObserver,
	request: Request,
	response: Response,
	{ method, route, requestId }: RequestInfo,
	startedAt: number,
	{ operation, ...record }: CallRecord,
): void {
	const completed: CompletedRequest = {
		...record,
		method: METHODS.has(method) ? method : "other",
		route,
		requestId,
		operationId: operation?.id ?? null,
		status: response.status,
		startedAt,
		durationMs: performance.now() - startedAt,
	};
	observer(completed, request);
}
