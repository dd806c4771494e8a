import type { CallRecorder } from "../../features/testing/recorded-calls.ts";
import { toTimestamp } from "../lib/clock.ts";
import { originalRequest } from "./absolute-request.ts";
import type { RequestObserver } from "./transport.ts";

/**
 * Creates the observer that records calls for tests.
 * @param timeOf returns the arrival time of a request by the resort's clock, which tests can move; in
 * milliseconds since the epoch
 */
export function recordCalls(
	calls: Pick<CallRecorder, "add">,
	timeOf: (request: Request) => number,
): RequestObserver {
	return (completed, request) => {
		const { method, operationId, agentId, status, requestId, fault } = completed;
		const { startedAt, isDropped } = completed;
		const target = request.url.slice(request.url.indexOf("/", "https://".length));
		const [path = "", ...search] = target.split("?");
		const original = originalRequest(request);
		const isUnanswered = isDropped || original.signal.aborted;
		calls.add(
			{
				operation: operationId,
				method,
				path,
				agentId,
				requestId,
				query: search.join("?"),
				status: isUnanswered ? null : status,
				at: toTimestamp(timeOf(original)),
				fault: fault?.id ?? null,
			},
			startedAt,
		);
	};
}
