import { LONGEST_TIMER_MS } from "./clock.ts";

/** Lets one caller wait, again and again, until it is woken or until its time is over. */
export class WaitSignal {
	#isWoken = false;
	#isOver = false;
	#resolve: ((goesOn: boolean) => void) | null = null;
	readonly #timer: Timer | null;
	#begin: () => void;

	/**
	 * @param durationMs after how long it is over; without it, only {@link end} ends it
	 * @param begin is called once, before the first wait that is not over at once; what it throws, the wait throws
	 */
	constructor(durationMs?: number, begin: () => void = () => {}) {
		this.#begin = begin;
		this.#timer =
			durationMs === undefined
				? null
				: setTimeout(() => this.end(), Math.min(durationMs, LONGEST_TIMER_MS));
	}

	get isOver(): boolean {
		return this.#isOver;
	}

	/** Lets the caller go on; when it does not wait just now, its next wait is over at once. */
	wake(): void {
		this.#isWoken = true;
		this.#settle();
	}

	/** Ends all waiting, now and later. */
	end(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#isOver = true;
		this.#settle();
	}

	/**
	 * Waits; one caller at a time.
	 * @returns whether it was woken, and not ended
	 */
	next(): Promise<boolean> {
		return new Promise((resolve) => {
			const waits = !this.#isWoken && !this.#isOver;
			if (waits) {
				this.#begin();
				this.#begin = () => {};
			}
			this.#resolve = resolve;
			if (!waits) this.#settle();
		});
	}

	#settle(): void {
		const resolve = this.#resolve;
		if (resolve === null) return;
		this.#resolve = null;
		this.#isWoken = false;
		resolve(!this.#isOver);
	}
}
