import { type BoundedCache, createCache } from "./bounded-cache.ts";
import { SECOND_MS } from "./clock.ts";
import type { KeyLimit } from "./fair-limiter.ts";

/** The decision on a request. `resetSeconds` is a whole number of at least 1. */
export interface Verdict {
	readonly admitted: boolean;
	/** The number of further requests with the same keys that would be admitted now. */
	readonly remaining: number;
	/**
	 * The number of seconds until the oldest counted request leaves the window. Then one more request is
	 * admitted.
	 */
	readonly resetSeconds: number;
}

/**
 * Counts requests by their exact times. A request has one or more keys, each with a limit: the maximum number
 * of requests with this key that are admitted within `windowMs`. A request is admitted if each of its keys is
 * below its limit. Refused requests are not counted.
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

/**
 * The fraction of the stored keys that is reserved for shared keys: one sixteenth. Under a shared key, the
 * requests of several new keys are counted together, as soon as the rest of the memory is full.
 */
const SHARE = 16;

/**
 * The counted requests of a key. `stored` is the key under which the requests are stored: the key itself or a
 * shared key.
 */
interface Counter {
	readonly stored: string;
	readonly limit: number;
	readonly times: number[];
}

/**
 * A window in memory that stores about `maxKeys` keys. A key with counted requests is never evicted. If it
 * were, a client with many addresses could reset its own limit by evicting an address that has reached the
 * limit.
 *
 * When only the reserved part of the memory is free, the requests of several new keys are counted together
 * under one shared key. A hash with a secret seed assigns each key to its shared key. So a new key can block
 * only a few other keys, and nobody can choose which keys. If all new keys were refused instead, an attacker
 * could block everybody.
 *
 * A key is counted under its shared key until all requests counted there have expired, even if memory becomes
 * free earlier. If it got a count of its own earlier, this count would start at zero.
 */
export class SlidingWindow implements Window {
	/** The times of the requests by key. The key whose last request is the oldest comes first. */
	readonly #times: BoundedCache<number[]>;
	readonly #sharedKeys: number;
	readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0];

	constructor(
		readonly windowMs: number,
		readonly maxKeys: number,
	) {
		this.#sharedKeys = Math.ceil(maxKeys / SHARE);
		// The cache must never evict an entry, because that would reset a count. Only shared keys can exceed
		// `maxKeys`, and they are so few that twice the size is always enough.
		this.#times = createCache(2 * maxKeys);
	}

	get size(): number {
		return this.#times.size;
	}

	admit(keys: readonly KeyLimit[], nowMs: number): Verdict {
		const counters = this.#countersOf(keys, nowMs);
		const admitted = counters.every(hasRoom);
		if (admitted) {
			for (const { stored, times } of counters) {
				times.push(nowMs);
				this.#times.set(stored, times);
			}
		}
		return this.#verdictOf(counters, admitted, nowMs);
	}

	/** Returns the verdict that a request would get now, without counting a request. */
	check(keys: readonly KeyLimit[], nowMs: number): Verdict {
		const counters = this.#countersOf(keys, nowMs);
		return this.#verdictOf(counters, counters.every(hasRoom), nowMs);
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
		// Checks which keys are stored before expired requests are deleted. A key whose requests have just
		// expired is therefore not treated as a new key.
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

	/**
	 * Returns the shared key under which a new key is counted while the memory is full. The keys of one request
	 * have different limits, for example those of its /64 and its /48 network, and each limit has shared keys
	 * of its own.
	 * @param kinds the number of keys of the request. Each limit gets the total number of shared keys divided
	 * by `kinds`
	 */
	#sharedKeyOf(key: string, limit: number, kinds: number): string {
		const hash = Bun.hash.wyhash(key, this.#seed);
		const places = Math.ceil(this.#sharedKeys / kinds);
		return `shared ${limit} ${hash % BigInt(places)}`;
	}

	/**
	 * Whether a request counts. A time in the future means that the clock was set back; such requests must not
	 * block anyone.
	 */
	#counts(time = Number.NEGATIVE_INFINITY, nowMs: number): boolean {
		return time > nowMs - this.windowMs && time <= nowMs;
	}

	/**
	 * Returns the verdict of the key with the fewest remaining requests. For a refused request, considers only
	 * the keys that have reached their limits.
	 */
	#verdictOf(counters: readonly Counter[], admitted: boolean, nowMs: number): Verdict {
		return counters
			.filter((counter) => admitted || !hasRoom(counter))
			.map((counter) => this.#verdict(admitted, counter, nowMs))
			.reduce(lessRoom);
	}

	#verdict(admitted: boolean, { times, limit }: Counter, nowMs: number): Verdict {
		const leavesMs = (times[0] ?? nowMs) + this.windowMs;
		return {
			admitted,
			remaining: limit - times.length,
			resetSeconds: Math.max(1, Math.ceil((leavesMs - nowMs) / SECOND_MS)),
		};
	}
}

function hasRoom({ times, limit }: Counter): boolean {
	return times.length < limit;
}

/**
 * Returns the verdict with fewer remaining requests or, if both have the same number, the one that resets
 * later.
 */
function lessRoom(one: Verdict, other: Verdict): Verdict {
	const isLess =
		other.remaining === one.remaining
			? other.resetSeconds > one.resetSeconds
			: other.remaining < one.remaining;
	return isLess ? other : one;
}
