/** The most texts that are remembered. */
const MAX_TEXTS = 100;

/** Remembers what has been told, so that the same is not told again and again. */
export class Told {
	readonly #quietMs: number;
	readonly #told = new Map<string, { atMs: number; untold: number }>();

	/** @param quietMs how long a text that was told is not told again */
	constructor(quietMs: number) {
		this.#quietMs = quietMs;
	}

	/**
	 * Whether a text is to be told now.
	 * @returns how often it was not told since it was last; null when it is not to be told now either
	 */
	tell(text: string, nowMs: number): number | null {
		const last = this.#told.get(text);
		if (last !== undefined && Math.abs(nowMs - last.atMs) < this.#quietMs) {
			last.untold++;
			return null;
		}
		if (last === undefined && this.#told.size >= MAX_TEXTS) this.#told.clear();
		this.#told.set(text, { atMs: nowMs, untold: 0 });
		return last?.untold ?? 0;
	}
}
