import type { Clock } from "../../core/lib/clock.ts";

/** A clock that follows the system clock until a test sets or freezes it. */
export class MovableClock {
	readonly #startMs: number | null;
	readonly #startsFrozen: boolean;
	#aheadMs = 0;
	/** The time at which the clock is frozen; null while it runs. */
	#frozenAtMs: number | null = null;

	/** @param nowMs the time at the start and after a reset; null for the system time */
	constructor(nowMs: number | null, isFrozen: boolean) {
		// A frozen clock has a fixed start time, so that each reset sets the same time.
		this.#startMs = isFrozen ? (nowMs ?? Date.now()) : nowMs;
		this.#startsFrozen = isFrozen;
		this.reset();
	}

	readonly now: Clock = () => this.#frozenAtMs ?? Date.now() + this.#aheadMs;

	/** The time that {@link reset} would set. */
	get startMs(): number {
		return this.#startMs ?? Date.now();
	}

	get isFrozen(): boolean {
		return this.#frozenAtMs !== null;
	}

	/** Sets the time. A frozen clock stays frozen. */
	setTo(timeMs: number): void {
		this.#set(timeMs, this.isFrozen);
	}

	/** Freezes the clock, or lets it run on from its current time. */
	freeze(isFrozen: boolean): void {
		this.#set(this.now(), isFrozen);
	}

	reset(): void {
		this.#set(this.#startMs, this.#startsFrozen);
	}

	/** @param timeMs null for the system time */
	#set(timeMs: number | null, isFrozen: boolean): void {
		this.#aheadMs = timeMs === null ? 0 : timeMs - Date.now();
		this.#frozenAtMs = isFrozen ? timeMs : null;
	}
}
