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
 * Memory is bounded, and a request costs the same however many keys are remembered: keys live in two
 * generations. One that is admitted moves to the younger; when the younger has lasted a window, or holds
 * half of `maxKeys`, it becomes the elder and the former elder, of which no key has been admitted since, is
 * forgotten whole.
 */
export class SlidingWindow {
	/** Admission times by key, oldest first. */
	#younger = new Map<string, number[]>();
	#elder = new Map<string, number[]>();
	/** When the younger generation began. */
	#bornMs = 0;
	#refused = 0;

	constructor(
		readonly limit: number,
		readonly windowMs: number,
		readonly maxKeys: number,
	) {}

	/** How many keys are remembered. */
	get size(): number {
		return this.#younger.size + this.#elder.size;
	}

	/** How many requests it has refused since it was made. */
	get refused(): number {
		return this.#refused;
	}

	/**
	 * Judges a request, and counts it when it is admitted.
	 * @param key who asks
	 * @param nowMs the time of the request
	 */
	admit(key: string, nowMs: number): Verdict {
		this.#age(key, nowMs);
		const known = this.#younger.get(key) ?? this.#elder.get(key) ?? [];
		const times = known.filter((time) => this.#counts(time, nowMs));
		const admitted = times.length < this.limit;
		if (admitted) {
			times.push(nowMs);
			this.#elder.delete(key);
			this.#younger.set(key, times);
		} else {
			this.#refused++;
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

	/** Forgets every request. */
	clear(): void {
		this.#younger = new Map();
		this.#elder = new Map();
	}

	/** A time after now can only come from a clock that was set back; it must not lock anyone out. */
	#counts(time: number, nowMs: number): boolean {
		return time > nowMs - this.windowMs && time <= nowMs;
	}

	#age(key: string, nowMs: number): void {
		const ageMs = nowMs - this.#bornMs;
		const isFull =
			this.#younger.size >= this.maxKeys / 2 && !this.#younger.has(key);
		if (ageMs >= 0 && ageMs < this.windowMs && !isFull) return;
		// After more than two windows nothing of the younger one counts any more either.
		const isPast = ageMs >= 2 * this.windowMs;
		this.#elder = isPast ? new Map() : this.#younger;
		this.#younger = new Map();
		this.#bornMs = nowMs;
	}
}
