import type { Clock } from "../lib/clock.ts";

/** A clock that runs with the system's clock until a test sets or freezes it. */
export class MovableClock {
	readonly #startMs: number | null;
	readonly #startsFrozen: boolean;
	#aheadMs = 0;
	/** The time of a frozen clock; null while it runs. */
	#frozenAtMs: number | null = null;

	/** @param nowMs its time at the start and after a reset; null for the system's time */
	constructor(nowMs: number | null, isFrozen: boolean) {
		// A reset returns a frozen clock to the time at which it was first frozen.
		this.#startMs = isFrozen ? (nowMs ?? Date.now()) : nowMs;
		this.#startsFrozen = isFrozen;
		this.reset();
	}

	/** Returns the time. */
	readonly now: Clock = () => this.#frozenAtMs ?? Date.now() + this.#aheadMs;

	/** The time after {@link reset}. */
	get startMs(): number {
		return this.#startMs ?? Date.now();
	}

	get isFrozen(): boolean {
		return this.#frozenAtMs !== null;
	}

	/** Sets the time; a frozen clock stays frozen. */
	setTo(timeMs: number): void {
		this.#set(timeMs, this.isFrozen);
	}

	/** Freezes the clock, or lets it run on from its time. */
	freeze(isFrozen: boolean): void {
		this.#set(this.now(), isFrozen);
	}

	/** Restores the initial state. */
	reset(): void {
		this.#set(this.#startMs, this.#startsFrozen);
	}

	/** @param timeMs null for the system's time */
	#set(timeMs: number | null, isFrozen: boolean): void {
		this.#aheadMs = timeMs === null ? 0 : timeMs - Date.now();
		this.#frozenAtMs = isFrozen ? timeMs : null;
	}
}
