import { BoundedCache } from "./bounded-cache.ts";
import { SECOND_MS } from "./clock.ts";
import type { KeyLimit } from "./fair-limiter.ts";

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
	/** Checks a request of the caller with this key, and counts it if it is admitted. */
	admit(key: string, nowMs: number): Verdict | Promise<Verdict>;
	/** Takes back the newest admission of a key. The key must have been admitted. */
	refund(key: string, nowMs: number): void | Promise<void>;
	/** Deletes all requests. */
	clear(): void | Promise<void>;
}

/** The reciprocal of the part of the memory that new keys share when the rest is full. */
const SHARE = 16;

/** A key that a request counts for, and its stored requests. */
interface Counter {
	/** The key itself, or a shared one. */
	readonly stored: string;
	readonly isShared: boolean;
	readonly limit: number;
	readonly times: number[];
}

/**
 * A sliding window over exact request times: a request is admitted while fewer than `limit` admitted requests of its
 * key lie within the last `windowMs`. Refused requests do not count. A request may count for several keys, each with
 * a limit of its own; it is then admitted if all of them have room.
 *
 * About `maxKeys` keys are stored. A key whose requests still count is never evicted: otherwise a client with many
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
	readonly #maxKeys: number;
	readonly #sharedKeys: number;
	readonly #keysOf: (key: string) => readonly KeyLimit[];
	readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0];
	/** Until when an admission to a shared key may count. */
	#sharedUntilMs = Number.NEGATIVE_INFINITY;
	#refused = 0;

	/** @param keysOf returns the keys that a request counts for; the key itself when left out */
	constructor(
		readonly limit: number,
		readonly windowMs: number,
		maxKeys: number,
		keysOf = (key: string): readonly KeyLimit[] => [{ key, limit }],
	) {
		this.#maxKeys = maxKeys;
		this.#sharedKeys = Math.ceil(maxKeys / SHARE);
		this.#keysOf = keysOf;
		// Never full: no key is added beyond `maxKeys` but some shared ones.
		this.#times = new BoundedCache({ maxEntries: 2 * maxKeys });
	}

	get size(): number {
		return this.#times.size;
	}

	get refused(): number {
		return this.#refused;
	}

	admit(key: string, nowMs: number): Verdict {
		const counters = this.#countersOf(key, nowMs);
		const full = counters.filter(({ times, limit }) => times.length >= limit);
		if (full.length > 0) {
			this.#refused++;
			return full
				.map((counter) => this.#verdict(false, counter, nowMs))
				.reduce(laterReset);
		}
		for (const { stored, isShared, times } of counters) {
			times.push(nowMs);
			this.#times.set(stored, times);
			if (isShared) this.#sharedUntilMs = nowMs + this.windowMs;
		}
		return counters
			.map((counter) => this.#verdict(true, counter, nowMs))
			.reduce(lessRoom);
	}

	refund(key: string, nowMs: number): void {
		for (const { stored, times } of this.#countersOf(key, nowMs)) {
			times.pop();
			if (times.length === 0) this.#times.delete(stored);
			else this.#times.set(stored, times);
		}
	}

	clear(): void {
		this.#times.clear();
		this.#sharedUntilMs = Number.NEGATIVE_INFINITY;
	}

	#countersOf(key: string, nowMs: number): Counter[] {
		const keys = this.#keysOf(key);
		const isStored = keys.map((one) => this.#times.peek(one.key) !== undefined);
		this.#times.deleteWhile((times) => !this.#counts(times.at(-1), nowMs));
		return keys.map(({ key: own, limit }, at) => {
			const isShared = !isStored[at] && !this.#hasRoom(nowMs);
			const stored = isShared
				? this.#sharedKeyOf(own, limit, keys.length)
				: own;
			const times = (this.#times.peek(stored) ?? []).filter((time) =>
				this.#counts(time, nowMs),
			);
			return { stored, isShared, limit, times };
		});
	}

	#hasRoom(nowMs: number): boolean {
		const sharedMs = this.#sharedUntilMs - nowMs;
		// Longer than a window only if the clock was set back.
		const isSharing = sharedMs > 0 && sharedMs <= this.windowMs;
		return !isSharing && this.#times.size < this.#maxKeys - this.#sharedKeys;
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

function laterReset(one: Verdict, other: Verdict): Verdict {
	return other.resetSeconds > one.resetSeconds ? other : one;
}

function lessRoom(one: Verdict, other: Verdict): Verdict {
	if (other.remaining === one.remaining) return laterReset(one, other);
	return other.remaining < one.remaining ? other : one;
}
