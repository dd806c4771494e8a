import { toTimestamp } from "../lib/clock.ts";
import type { RecordedCall } from "../testkit/recorded-calls.ts";
import type { Observer } from "./exchange.ts";
import { asItCame } from "./whole.ts";

/**
 * Makes the observer that remembers calls for tests.
 * @param timeOf returns when a request arrived, by the clock of the tests
 */
export function recorderOf(
	calls: {
		add(call: RecordedCall, startedAt: number): void;
		readerAt(path: string): string | null;
	},
	timeOf: (request: Request) => number,
): Observer {
	return (exchange, request) => {
		const { method, route, agentId, status, requestId, fault, startedAt } =
			exchange;
		const { path, query } = targetOf(request.url);
		const call = {
			// What is answered before the application is loaded is a read, and known by its path.
			operation: exchange.operationId ?? calls.readerAt(route),
			method,
			path,
			query,
			agentId,
			// Nobody was answered who is gone by now.
			status: fault?.drop || asItCame(request).signal.aborted ? null : status,
			at: toTimestamp(timeOf(asItCame(request))),
			requestId,
			fault: fault?.id ?? null,
		};
		calls.add(call, startedAt);
	};
}

/** The path and the query of a URL, as they were sent. */
function targetOf(url: string): { path: string; query: string } {
	const target = url.slice(url.indexOf("/", "https://".length));
	const at = target.indexOf("?");
	return at === -1
		? { path: target, query: "" }
		: { path: target.slice(0, at), query: target.slice(at + 1) };
}
