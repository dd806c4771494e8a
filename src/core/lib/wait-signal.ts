/** A signal for which one caller waits again and again with {@link next}. {@link end} ends all waits. */
export class WaitSignal {
	#isWoken = false;
	#isOver = false;
	#wait: PromiseWithResolvers<void> | null = null;
	readonly #timer: Timer | undefined;
	#begin: () => void;

	/**
	 * @param durationMs the time after which {@link end} is called automatically; by default never
	 * @param begin called once, before the first wait that does not resolve immediately; {@link next} throws
	 * the errors of this function
	 */
	constructor(durationMs?: number, begin: () => void = () => {}) {
		this.#begin = begin;
		if (durationMs !== undefined) {
			this.#timer = setTimeout(() => this.end(), durationMs);
		}
	}

	get isOver(): boolean {
		return this.#isOver;
	}

	/** Ends the current wait. If nobody is waiting, the next call of {@link next} resolves at once. */
	wake(): void {
		this.#isWoken = true;
		this.#wait?.resolve();
	}

	/** Ends the current wait and all later ones. */
	end(): void {
		clearTimeout(this.#timer);
		this.#isOver = true;
		this.#wait?.resolve();
	}

	/**
	 * Waits for {@link wake} or {@link end}. Only one caller may wait at a time.
	 * @returns false after {@link end}
	 */
	async next(): Promise<boolean> {
		if (!this.#isWoken && !this.#isOver) {
			this.#begin();
			this.#begin = () => {};
			this.#wait = Promise.withResolvers();
			await this.#wait.promise;
		}
		this.#isWoken = false;
		return !this.#isOver;
	}
}
