import { BoundedCache } from "./bounded-cache.ts";
import { SECOND_MS } from "./clock.ts";

/** The result for a request; the seconds are whole and at least 1. */
export interface Verdict {
	readonly admitted: boolean;
	/** How many more requests would be admitted right now. */
	readonly remaining: number;
	/** Seconds until the oldest counted request leaves the window and makes room for another. */
	readonly resetSeconds: number;
}

/** Limits requests by key and counts those that it admits. */
export interface Window {
	/** How many requests of one key it admits in {@link windowMs}. */
	readonly limit: number;
	readonly windowMs: number;
	/** The number of stored keys. */
	readonly size: number | Promise<number>;
	/** The number of refused requests. */
	readonly refused: number;
	/**
	 * Checks a request, and counts it if it is admitted.
	 * @param key identifies the caller
	 * @param nowMs the time of the request
	 */
	admit(key: string, nowMs: number): Verdict | Promise<Verdict>;
	/** Takes back the newest admission of a key. The key must have been admitted. */
	refund(key: string, nowMs: number): void | Promise<void>;
	/** Deletes all requests. */
	clear(): void | Promise<void>;
}

/** The reciprocal of the part of the memory that new keys share when the rest is full. */
const SHARE = 16;

/**
 * A sliding window over exact request times: a request is admitted while fewer than `limit` admitted requests of its
 * key lie within the last `windowMs`. Refused requests do not count.
 *
 * At most `maxKeys` keys are stored. A key whose requests still count is never evicted: otherwise a client with many
 * addresses could evict the one that is at its limit.
 *
 * When the memory is full, new keys share the rest of it: a secret hash maps them to shared keys, each with one limit.
 * So a new key blocks few others, and nobody can choose which. Refusing all new keys would let an attacker block
 * everybody. Sharing goes on for one window after the last admission to a shared key, so that no key restarts at zero
 * once there is room.
 */
export class SlidingWindow implements Window {
	/** The times of each key's requests; the key with the oldest last request comes first. */
	readonly #times: BoundedCache<number[]>;
	readonly #sharedKeys: number;
	readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0];
	/** Until when an admission to a shared key may count. */
	#sharedUntilMs = Number.NEGATIVE_INFINITY;
	#refused = 0;

	constructor(
		readonly limit: number,
		readonly windowMs: number,
		readonly maxKeys: number,
	) {
		this.#times = new BoundedCache({ maxEntries: maxKeys });
		this.#sharedKeys = Math.ceil(maxKeys / SHARE);
	}

	get size(): number {
		return this.#times.size;
	}

	get refused(): number {
		return this.#refused;
	}

	admit(key: string, nowMs: number): Verdict {
		const stored = this.#storedKeyOf(key, nowMs);
		const times = this.#timesOf(stored, nowMs);
		const admitted = times.length < this.limit;
		if (admitted) {
			times.push(nowMs);
			this.#times.set(stored, times);
			if (stored !== key) this.#sharedUntilMs = nowMs + this.windowMs;
		} else {
			this.#refused++;
		}
		return this.#verdict(admitted, times, nowMs);
	}

	/** Returns the result of {@link admit} without counting; `remaining` includes the request itself. */
	judge(key: string, nowMs: number): Verdict {
		const times = this.#timesOf(this.#storedKeyOf(key, nowMs), nowMs);
		return this.#verdict(times.length < this.limit, times, nowMs);
	}

	refund(key: string, nowMs: number): void {
		const stored = this.#storedKeyOf(key, nowMs);
		const times = this.#timesOf(stored, nowMs).slice(0, -1);
		if (times.length === 0) this.#times.delete(stored);
		else this.#times.set(stored, times);
	}

	clear(): void {
		this.#times.clear();
		this.#sharedUntilMs = Number.NEGATIVE_INFINITY;
	}

	/** Returns the key that the requests of a key are counted by: its own, or a shared one. */
	#storedKeyOf(key: string, nowMs: number): string {
		const isStored = this.#times.peek(key) !== undefined;
		this.#times.deleteWhile((times) => !this.#counts(times.at(-1), nowMs));
		if (isStored) return key;
		const sharedMs = this.#sharedUntilMs - nowMs;
		// Longer than a window only if the clock was set back.
		const isSharing = sharedMs > 0 && sharedMs <= this.windowMs;
		const ownKeys = this.maxKeys - this.#sharedKeys;
		if (!isSharing && this.#times.size < ownKeys) return key;
		const hash = Bun.hash.wyhash(key, this.#seed);
		return `shared ${hash % BigInt(this.#sharedKeys)}`;
	}

	#timesOf(stored: string, nowMs: number): number[] {
		const times = this.#times.peek(stored) ?? [];
		return times.filter((time) => this.#counts(time, nowMs));
	}

	/** Whether a request counts. A time after now comes from a clock that was set back, and must not lock anyone out. */
	#counts(time = Number.NEGATIVE_INFINITY, nowMs: number): boolean {
		return time > nowMs - this.windowMs && time <= nowMs;
	}

	#verdict(
		admitted: boolean,
		times: readonly number[],
		nowMs: number,
	): Verdict {
		const leavesMs = (times[0] ?? nowMs) + this.windowMs;
		return {
			admitted,
			remaining: this.limit - times.length,
			resetSeconds: Math.max(1, Math.ceil((leavesMs - nowMs) / SECOND_MS)),
		};
	}
}
