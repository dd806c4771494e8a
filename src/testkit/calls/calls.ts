import { copyOf } from "../../lib/text.ts";
import type { Operation } from "../../resort/operation.ts";
import type { Calls, RecordedCall } from "../../resort/testkit.ts";
import { maskPath, maskQuery, maskRequestId } from "./secrets.ts";

/** The most calls that are remembered. */
export const MAX_CALLS = 10_000;

/** The most characters of a path and of a query: a hundred ids need 3,700. */
export const MAX_PATH = 256;
export const MAX_QUERY = 4_096;

/** The newest calls of an instance, in memory. */
export class CallHistory implements Calls {
	/** In the order of their ends, until it is full; then {@link #next} is the oldest. */
	readonly #calls: { call: RecordedCall; startedAt: number }[] = [];
	#next = 0;
	/** Calls that came before this moment of `performance.now()` are those of an earlier test. */
	#since = 0;
	readonly #readers = new Map<string, string>();

	/** Says which operations the instance has. */
	know(operations: readonly Operation[]): void {
		for (const { method, path, id, only } of operations) {
			const isFirst = only !== "controls" && !this.#readers.has(path);
			if (method === "GET" && isFirst) this.#readers.set(path, id);
		}
	}

	/** The id of the operation that reads at a path, which is a template; null where there is none. */
	readerAt(path: string): string | null {
		return this.#readers.get(path) ?? null;
	}

	/**
	 * Remembers a call, without what may be a key.
	 * @param call with path and query as they were sent
	 * @param startedAt when it came, by `performance.now()`
	 */
	add(call: RecordedCall, startedAt: number): void {
		if (/^\/test(\/|$)/.test(call.path) || startedAt < this.#since) return;
		const kept = {
			...call,
			path: copyOf(maskPath(call.path).slice(0, MAX_PATH)),
			query: copyOf(maskQuery(call.query).slice(0, MAX_QUERY)),
			requestId: maskRequestId(call.requestId),
		};
		this.#calls[this.#next] = { call: kept, startedAt };
		this.#next = (this.#next + 1) % MAX_CALLS;
	}

	list(): readonly RecordedCall[] {
		return [
			...this.#calls.slice(this.#next),
			...this.#calls.slice(0, this.#next),
		]
			.reverse()
			.sort((a, b) => b.startedAt - a.startedAt)
			.map(({ call }) => call);
	}

	clear(): void {
		this.#calls.length = 0;
		this.#next = 0;
		this.#since = performance.now();
	}
}
