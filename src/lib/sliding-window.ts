import { SECOND_MS } from "./clock.ts";

/** What a window says of one request; the seconds are whole and at least 1. */
export interface Verdict {
	readonly admitted: boolean;
	/** How many more requests would be admitted right now. */
	readonly remaining: number;
	/** Seconds until the next request leaves the window and makes room for another. */
	readonly resetSeconds: number;
}

/**
 * A sliding window over exact request times (decisions 5): a request is admitted while fewer than
 * `limit` admitted requests of its key lie within the last `windowMs`. Refused requests do not count.
 *
 * Memory is bounded: a key is forgotten once its window has passed, and when there are `maxKeys`
 * the one that was admitted longest ago makes room.
 */
export class SlidingWindow {
	/** Admission times by key, oldest first; the keys in order of their newest admission. */
	readonly #admissions = new Map<string, number[]>();

	constructor(
		readonly limit: number,
		readonly windowMs: number,
		readonly maxKeys: number,
	) {}

	/** How many keys are remembered. */
	get size(): number {
		return this.#admissions.size;
	}

	/**
	 * Judges a request, and counts it when it is admitted.
	 * @param key who asks
	 * @param nowMs the time of the request
	 */
	admit(key: string, nowMs: number): Verdict {
		this.#forget(nowMs);
		const times = (this.#admissions.get(key) ?? []).filter((time) =>
			this.#counts(time, nowMs),
		);
		const admitted = times.length < this.limit;
		if (admitted) {
			times.push(nowMs);
			this.#admissions.delete(key);
			this.#makeRoom();
			this.#admissions.set(key, times);
		}
		const oldest = times[0] ?? nowMs;
		return {
			admitted,
			remaining: this.limit - times.length,
			resetSeconds: Math.max(
				1,
				Math.ceil((oldest + this.windowMs - nowMs) / SECOND_MS),
			),
		};
	}

	/** A time after now can only come from a clock that was set back; it must not lock anyone out. */
	#counts(time: number, nowMs: number): boolean {
		return time > nowMs - this.windowMs && time <= nowMs;
	}

	#forget(nowMs: number): void {
		for (const [key, times] of this.#admissions) {
			const newest = times.at(-1);
			if (newest !== undefined && this.#counts(newest, nowMs)) return;
			this.#admissions.delete(key);
		}
	}

	#makeRoom(): void {
		if (this.#admissions.size < this.maxKeys) return;
		const [longestAgo] = this.#admissions.keys();
		if (longestAgo !== undefined) this.#admissions.delete(longestAgo);
	}
}
