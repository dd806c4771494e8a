import { SECOND_MS } from "./clock.ts";
import { Generations } from "./generations.ts";

/** What a window says of one request; the seconds are whole and at least 1. */
export interface Verdict {
	readonly admitted: boolean;
	/** How many more requests would be admitted right now. */
	readonly remaining: number;
	/** Seconds until the oldest counted request leaves the window and makes room for another. */
	readonly resetSeconds: number;
}

/** Judges requests by key and counts those that it admits. */
export interface Window {
	/** How many requests of one key it admits in {@link windowMs}. */
	readonly limit: number;
	readonly windowMs: number;
	/** How many keys it remembers. */
	readonly size: number | Promise<number>;
	/** How many requests it has refused since it was made. */
	readonly refused: number;
	/**
	 * Judges a request, and counts it when it is admitted.
	 * @param key who asks
	 * @param nowMs the time of the request
	 */
	admit(key: string, nowMs: number): Verdict | Promise<Verdict>;
	/** Takes back the newest admission of a key. The key must have been admitted. */
	refund(key: string, nowMs: number): void | Promise<void>;
	/** Forgets every request. */
	clear(): void | Promise<void>;
}

/** One place in so many is kept for newcomers that come when all others are taken. */
const SHARE = 16;

/**
 * A sliding window over exact request times: a request is admitted while fewer than `limit` admitted requests
 * of its key lie within the last `windowMs`. Refused requests do not count.
 *
 * Memory is bounded by `maxKeys`, and the cost of a request does not depend on how many keys are remembered.
 * A key whose requests still count is never forgotten: otherwise whoever has many addresses could push out
 * the one that is at its limit.
 *
 * When all places are taken, newcomers share the places that are left: a secret hash chooses the place, and
 * one limit holds for all who share it. So one newcomer shuts out few others, and nobody can choose whom.
 * Refusing all newcomers would let an attacker close the door for everybody. Sharing goes on for one window
 * after the last admission to a shared place, so that nobody begins again at zero once there is room.
 */
export class SlidingWindow implements Window {
	readonly #keys: Generations;
	readonly #sharedPlaces: number;
	readonly #seed = crypto.getRandomValues(new BigUint64Array(1))[0];
	/** Until when an admission to a shared place may count. */
	#sharedUntilMs = Number.NEGATIVE_INFINITY;
	#refused = 0;

	constructor(
		readonly limit: number,
		readonly windowMs: number,
		readonly maxKeys: number,
	) {
		this.#keys = new Generations(windowMs);
		this.#sharedPlaces = Math.ceil(maxKeys / SHARE);
	}

	get size(): number {
		return this.#keys.size;
	}

	get refused(): number {
		return this.#refused;
	}

	admit(key: string, nowMs: number): Verdict {
		const place = this.#placeOf(key, nowMs);
		const times = this.#timesAt(place, nowMs);
		const admitted = times.length < this.limit;
		if (admitted) {
			times.push(nowMs);
			this.#keys.put(place, times, nowMs);
			if (place !== key) this.#sharedUntilMs = nowMs + this.windowMs;
		} else {
			this.#refused++;
		}
		return this.#verdict(admitted, times, nowMs);
	}

	/** What {@link admit} would say; `remaining` includes the request that is judged. Counts nothing. */
	judge(key: string, nowMs: number): Verdict {
		const times = this.#timesAt(this.#placeOf(key, nowMs), nowMs);
		return this.#verdict(times.length < this.limit, times, nowMs);
	}

	refund(key: string, nowMs: number): void {
		const place = this.#placeOf(key, nowMs);
		const times = this.#timesAt(place, nowMs).slice(0, -1);
		if (times.length === 0) this.#keys.remove(place);
		else this.#keys.put(place, times, nowMs);
	}

	clear(): void {
		this.#keys.clear();
		this.#sharedUntilMs = Number.NEGATIVE_INFINITY;
	}

	/** Under which key the requests of a key are counted: its own, or that of a shared place. */
	#placeOf(key: string, nowMs: number): string {
		this.#keys.age(nowMs);
		if (this.#keys.find(key) !== undefined) return key;
		const sharedMs = this.#sharedUntilMs - nowMs;
		// Longer than a window only when the clock was set back.
		const isSharing = sharedMs > 0 && sharedMs <= this.windowMs;
		const ownPlaces = this.maxKeys - this.#sharedPlaces;
		if (!isSharing && this.#keys.size < ownPlaces) return key;
		const hash = Bun.hash.wyhash(key, this.#seed);
		return `shared ${hash % BigInt(this.#sharedPlaces)}`;
	}

	#timesAt(place: string, nowMs: number): number[] {
		const times = this.#keys.find(place) ?? [];
		// A time after now comes from a clock that was set back, and must not lock anyone out.
		return times.filter(
			(time) => time > nowMs - this.windowMs && time <= nowMs,
		);
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
