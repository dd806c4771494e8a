import { type Clock, LONGEST_TIMER_MS, SECOND_MS } from "./clock.ts";

/** How often a clock that stands still is looked at. */
const STANDING_MS = SECOND_MS;

/** Calls a function once a clock has reached a moment. The clock may stand still, or be slower than the system's. */
export class DueTimer {
	readonly #clock: Clock;
	readonly #call: () => void;
	#timer: Timer | null = null;

	constructor(clock: Clock, call: () => void) {
		this.#clock = clock;
		this.#call = call;
	}

	/**
	 * Calls at this moment, and at none that was set before.
	 * @param dueMs milliseconds since the epoch
	 */
	set(dueMs: number): void {
		this.stop();
		this.#arm(dueMs, 0);
	}

	/** Calls no more. */
	stop(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#timer = null;
	}

	#arm(dueMs: number, leastMs: number): void {
		const fromMs = this.#clock();
		const inMs = Math.min(Math.max(dueMs - fromMs, leastMs), LONGEST_TIMER_MS);
		this.#timer = setTimeout(() => {
			const nowMs = this.#clock();
			if (nowMs >= dueMs) return this.#call();
			this.#arm(dueMs, nowMs === fromMs ? STANDING_MS : 0);
		}, inMs);
	}
}
