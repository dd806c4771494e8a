import { type BoundedCache, createCache } from "./bounded-cache.ts";
import { SECOND_MS } from "./clock.ts";
import type { KeyLimit } from "./fair-limiter.ts";

/** The decision on a request. Its seconds are a whole number of at least 1. */
export interface Verdict {
	readonly admitted: boolean;
	/** How many more requests would be admitted right now. */
	readonly remaining: number;
	/** Seconds until the oldest counted request leaves the window and makes room for another. */
	readonly resetSeconds: number;
}

/**
 * Counts requests by the exact time of each. A request has one or more keys, each with a limit, and is admitted if for each
 * key fewer requests than its limit were admitted in the last `windowMs`. Refused requests do not count.
 */
export interface Window {
	/** The number of stored keys. */
	readonly size: number | Promise<number>;
	/** Checks a request, and counts it for all of its keys if it is admitted. */
	admit(keys: readonly KeyLimit[], nowMs: number): Verdict | Promise<Verdict>;
	/** Removes the newest request of each key, which must have been admitted. */
	refund(keys: readonly KeyLimit[], nowMs: number): void | Promise<void>;
	/** Deletes all requests. */
	clear(): void | Promise<void>;
}

/** 1/16 of the memory is reserved for shared keys, which new keys use when the rest is full. */
const SHARE = 16;

/** The counted requests of a key, which are stored under the key itself or under a shared key. */
interface Counter {
	readonly stored: string;
	readonly limit: number;
	readonly times: number[];
}

/**
 * A window in memory, which stores about `maxKeys` keys. A key whose requests still count is never evicted: otherwise a
 * client with many addresses could evict the one that is at its limit.
 *
 * When only the reserved part of the memory is free, new keys share it: a hash with a secret seed maps each new key to a
 * shared key with the same limit. So a new key blocks few others, and nobody can choose which. Refusing all new keys
 * would let an attacker block everybody. Keys keep their shared key as long as its requests count, even if there is
 * room again: otherwise they would restart at zero.
 */
export class SlidingWindow implements Window {
	/** The times of each key's requests; the key with the oldest last request comes first. */
	readonly #times: BoundedCache<number[]>;
	readonly #sharedKeys: number;
	readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0];

	constructor(
		readonly windowMs: number,
		readonly maxKeys: number,
	) {
		this.#sharedKeys = Math.ceil(maxKeys / SHARE);
		// This cache never gets full and evicts nothing: beyond `maxKeys`, only some shared keys are added.
		this.#times = createCache(2 * maxKeys);
	}

	get size(): number {
		return this.#times.size;
	}

	admit(keys: readonly KeyLimit[], nowMs: number): Verdict {
		const counters = this.#countersOf(keys, nowMs);
		const full = counters.filter(({ times, limit }) => times.length >= limit);
		const admitted = full.length === 0;
		if (admitted) {
			for (const { stored, times } of counters) {
				times.push(nowMs);
				this.#times.set(stored, times);
			}
		}
		return (admitted ? counters : full)
			.map((counter) => this.#verdict(admitted, counter, nowMs))
			.reduce(lessRoom);
	}

	refund(keys: readonly KeyLimit[], nowMs: number): void {
		for (const { stored, times } of this.#countersOf(keys, nowMs)) {
			times.pop();
			if (times.length === 0) this.#times.delete(stored);
			else this.#times.set(stored, times);
		}
	}

	clear(): void {
		this.#times.clear();
	}

	#countersOf(keys: readonly KeyLimit[], nowMs: number): Counter[] {
		// Checked before the deletion, so that a key whose requests have just expired keeps its place.
		const isStored = keys.map(({ key }) => this.#times.has(key));
		this.#deleteExpired(nowMs);
		const isFull = this.#times.size >= this.maxKeys - this.#sharedKeys;
		return keys.map(({ key, limit }, at) => {
			const own = { stored: key, limit, times: this.#timesOf(key, nowMs) };
			if (isStored[at]) return own;
			const stored = this.#sharedKeyOf(key, limit, keys.length);
			const times = this.#timesOf(stored, nowMs);
			return isFull || times.length > 0 ? { stored, limit, times } : own;
		});
	}

	#deleteExpired(nowMs: number): void {
		for (const key of this.#times.rkeys()) {
			if (this.#counts(this.#times.peek(key)?.at(-1), nowMs)) return;
			this.#times.delete(key);
		}
	}

	#timesOf(stored: string, nowMs: number): number[] {
		const times = this.#times.peek(stored) ?? [];
		return times.filter((time) => this.#counts(time, nowMs));
	}

	/** Returns one of the shared keys for this limit; `kinds` is the number of limits that share the memory. */
	#sharedKeyOf(key: string, limit: number, kinds: number): string {
		const hash = Bun.hash.wyhash(key, this.#seed);
		const places = Math.ceil(this.#sharedKeys / kinds);
		return `shared ${limit} ${hash % BigInt(places)}`;
	}

	/** Whether a request counts. A time after now comes from a clock that was set back, and must not lock anyone out. */
	#counts(time = Number.NEGATIVE_INFINITY, nowMs: number): boolean {
		return time > nowMs - this.windowMs && time <= nowMs;
	}

	#verdict(
		admitted: boolean,
		{ times, limit }: Counter,
		nowMs: number,
	): Verdict {
		const leavesMs = (times[0] ?? nowMs) + this.windowMs;
		return {
			admitted,
			remaining: limit - times.length,
			resetSeconds: Math.max(1, Math.ceil((leavesMs - nowMs) / SECOND_MS)),
		};
	}
}

/** Returns the verdict with fewer remaining requests; of two with as many, the one that resets later. */
function lessRoom(one: Verdict, other: Verdict): Verdict {
	const isLess =
		other.remaining === one.remaining
			? other.resetSeconds > one.resetSeconds
			: other.remaining < one.remaining;
	return isLess ? other : one;
}
