import type { Verdict, Window } from "../lib/sliding-window.ts";
import type { LimitName } from "../resort/limits.ts";
import type { CountedKey, RateLimitCounter } from "../store/store.ts";

/** A sliding window that all instances of a database count in. */
export class SharedWindow implements Window {
	readonly #counter: RateLimitCounter;
	readonly #name: LimitName;
	readonly #keysOf: (key: string) => readonly CountedKey[];
	#refused = 0;

	/** @param keysOf gives the keys by which a request is counted */
	constructor(
		counter: RateLimitCounter,
		name: LimitName,
		readonly limit: number,
		readonly windowMs: number,
		keysOf: (key: string) => readonly CountedKey[],
	) {
		this.#counter = counter;
		this.#name = name;
		this.#keysOf = keysOf;
	}

	get size(): Promise<number> {
		return this.#counter.count(this.#name);
	}

	get refused(): number {
		return this.#refused;
	}

	async admit(key: string, nowMs: number): Promise<Verdict> {
		const keys = this.#keysOf(key);
		const { windowMs } = this;
		const verdict = await this.#counter.admit(
			this.#name,
			keys,
			windowMs,
			nowMs,
		);
		if (!verdict.admitted) this.#refused++;
		return verdict;
	}

	refund(key: string, nowMs: number): Promise<void> {
		const keys = this.#keysOf(key);
		return this.#counter.refund(this.#name, keys, this.windowMs, nowMs);
	}

	clear(): Promise<void> {
		return this.#counter.clear(this.#name);
	}
}
