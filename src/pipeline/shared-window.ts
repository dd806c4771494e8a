import type { KeyLimit } from "../lib/fair-limiter.ts";
import type { Verdict, Window } from "../lib/sliding-window.ts";
import type { LimitName } from "../resort/limits.ts";
import type { RateLimitCounter } from "../store/store.ts";

/** A sliding window that is shared by all instances of a database. */
export class SharedWindow implements Window {
	#refused = 0;

	/** @param keysOf returns the keys that a request counts for */
	constructor(
		readonly counter: RateLimitCounter,
		readonly name: LimitName,
		readonly limit: number,
		readonly windowMs: number,
		readonly keysOf: (key: string) => readonly KeyLimit[],
	) {}

	get size(): Promise<number> {
		return this.counter.count(this.name);
	}

	get refused(): number {
		return this.#refused;
	}

	async admit(key: string, nowMs: number): Promise<Verdict> {
		const { counter, name, windowMs } = this;
		const verdict = await counter.admit(
			name,
			this.keysOf(key),
			windowMs,
			nowMs,
		);
		if (!verdict.admitted) this.#refused++;
		return verdict;
	}

	refund(key: string, nowMs: number): Promise<void> {
		const { counter, name, windowMs } = this;
		return counter.refund(name, this.keysOf(key), windowMs, nowMs);
	}

	clear(): Promise<void> {
		return this.counter.clear(this.name);
	}
}
