import { copyOf } from "../../lib/text.ts";
import type { Calls, RecordedCall } from "../../resort/controls.ts";
import type { Operation } from "../../resort/operation.ts";
import { maskPath, maskQuery } from "./secrets.ts";

/** The most calls that are remembered. */
export const MAX_CALLS = 10_000;

/** The most characters of a path and of a query: a hundred ids need 3,700. */
export const MAX_PATH = 256;
export const MAX_QUERY = 4_096;

/** The newest calls of an instance, in memory. */
export class CallHistory implements Calls {
	/** From the oldest on, until it is full; then {@link #next} is the oldest. */
	readonly #calls: RecordedCall[] = [];
	#next = 0;
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
	 */
	add(call: RecordedCall): void {
		if (/^\/test(\/|$)/.test(call.path)) return;
		this.#calls[this.#next] = {
			...call,
			path: copyOf(maskPath(call.path).slice(0, MAX_PATH)),
			query: copyOf(maskQuery(call.query).slice(0, MAX_QUERY)),
		};
		this.#next = (this.#next + 1) % MAX_CALLS;
	}

	list(): readonly RecordedCall[] {
		return [
			...this.#calls.slice(this.#next),
			...this.#calls.slice(0, this.#next),
		].reverse();
	}

	clear(): void {
		this.#calls.length = 0;
		this.#next = 0;
	}
}
