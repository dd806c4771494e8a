import { SECOND_MS } from "./clock.ts";

/** A key under which requests (per window) or running tasks are counted, and the maximum number. */
export interface KeyLimit {
	readonly key: string;
	readonly limit: number;
}

/** The decision on a request. `resetSeconds` is a whole number of at least 1. */
export interface Verdict {
	readonly admitted: boolean;
	/** The number of further requests with the same keys that would be admitted now. */
	readonly remaining: number;
	/** The seconds until the oldest counted request leaves the window, so that another request is admitted. */
	readonly resetSeconds: number;
}

/**
 * Counts requests by their exact times. A request is admitted if each of its keys is below its limit. Refused
 * requests are not counted.
 */
export interface Window {
	/** The number of stored keys. */
	readonly size: number | Promise<number>;
	/** Checks a request. If it is admitted, counts it for all of its keys. */
	admit(keys: readonly KeyLimit[], nowMs: number): Verdict | Promise<Verdict>;
	/** Undoes the counting of an admitted request: removes the newest request of each key. */
	refund(keys: readonly KeyLimit[], nowMs: number): void | Promise<void>;
	/** Forgets all counted requests. */
	clear(): void | Promise<void>;
}

/** A key with the times of its counted requests. */
interface Counter extends KeyLimit {
	readonly times: number[];
}

/**
 * A window in memory that stores at most `maxKeys` keys. If it is full, the key whose last counted request is
 * the oldest is deleted. No client can escape its limit in this way: to get its key deleted, it would need
 * `maxKeys` counted requests with other keys, far more than its limit allows for one key.
 */
export class SlidingWindow implements Window {
	/** The times of the requests by key. The key whose last counted request is the oldest comes first. */
	readonly #times = new Map<string, number[]>();

	constructor(
		readonly windowMs: number,
		readonly maxKeys: number,
	) {}

	get size(): number {
		return this.#times.size;
	}

	admit(keys: readonly KeyLimit[], nowMs: number): Verdict {
		this.#deleteExpired(nowMs);
		const counters = this.#countersOf(keys, nowMs);
		const admitted = counters.every(({ times, limit }) => times.length < limit);
		if (admitted) {
			for (const { key, times } of counters) {
				times.push(nowMs);
				this.#times.delete(key);
				this.#times.set(key, times);
			}
			this.#deleteOldest();
		}
		return this.#verdictOf(counters, admitted, nowMs);
	}

	refund(keys: readonly KeyLimit[], nowMs: number): void {
		for (const { key, times } of this.#countersOf(keys, nowMs)) {
			times.pop();
			if (times.length === 0) this.#times.delete(key);
			else this.#times.set(key, times);
		}
	}

	clear(): void {
		this.#times.clear();
	}

	#deleteExpired(nowMs: number): void {
		for (const [key, times] of this.#times) {
			if (this.#counts(times.at(-1), nowMs)) return;
			this.#times.delete(key);
		}
	}

	#deleteOldest(): void {
		for (const key of this.#times.keys()) {
			if (this.#times.size <= this.maxKeys) return;
			this.#times.delete(key);
		}
	}

	#countersOf(keys: readonly KeyLimit[], nowMs: number): Counter[] {
		return keys.map(({ key, limit }) => {
			const times = this.#times.get(key) ?? [];
			return { key, limit, times: times.filter((time) => this.#counts(time, nowMs)) };
		});
	}

	/** Whether a request counts. If the clock was set back, requests with times in the future do not count. */
	#counts(time = Number.NEGATIVE_INFINITY, nowMs: number): boolean {
		return time > nowMs - this.windowMs && time <= nowMs;
	}

	/**
	 * Returns the verdict for the key with the fewest remaining requests. If several keys have equally few, the
	 * one with the longest time until the reset is chosen.
	 */
	#verdictOf(counters: readonly Counter[], admitted: boolean, nowMs: number): Verdict {
		return counters
			.map(({ times, limit }) => {
				const leavesMs = (times[0] ?? nowMs) + this.windowMs;
				const resetSeconds = Math.max(1, Math.ceil((leavesMs - nowMs) / SECOND_MS));
				return { admitted, remaining: limit - times.length, resetSeconds };
			})
			.reduce((one, other) => {
				const more = one.remaining - other.remaining || other.resetSeconds - one.resetSeconds;
				return more > 0 ? other : one;
			});
	}
}
