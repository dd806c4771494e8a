import type { Clock } from "../lib/clock.ts";
import type { RecordedCall } from "../resort/controls.ts";
import type { Observer } from "./exchange.ts";

/** Makes the observer that remembers calls for tests. */
export function recorderOf(
	calls: {
		add(call: RecordedCall): void;
		readerAt(path: string): string | null;
	},
	clock: Clock,
): Observer {
	return (exchange, request) => {
		const { method, route, agentId, status, requestId, fault } = exchange;
		const { path, query } = targetOf(request.url);
		calls.add({
			// What is answered before the application is loaded is a read, and known by its path.
			operation: exchange.operationId ?? calls.readerAt(route),
			method,
			path,
			query,
			agentId,
			status: fault?.drop ? null : status,
			atMs: clock(),
			requestId,
			fault: fault?.id ?? null,
		});
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
