import { originalRequest } from "../../core/http/absolute-request.ts";
import type { RequestObserver } from "../../core/http/transport.ts";
import { toTimestamp } from "../../core/lib/clock.ts";
import type { CallRecorder } from "./recorded-calls.ts";

/** Creates the observer that records calls for tests. */
export function recordCalls(calls: Pick<CallRecorder, "add">): RequestObserver {
	return (completed, request) => {
		const { method, operationId, agentId, status, requestId, fault } = completed;
		const { startedAt, atMs, isDropped } = completed;
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
				at: toTimestamp(atMs),
				fault: fault?.id ?? null,
			},
			startedAt,
		);
	};
}
