/** The most texts that are remembered. */
const MAX_TEXTS = 100;

/** Suppresses repetitions of a log message for some time. */
export class Suppressor {
	readonly #quietMs: number;
	readonly #told = new Map<string, { atMs: number; suppressed: number }>();

	/** @param quietMs how long a message is suppressed after it was told */
	constructor(quietMs: number) {
		this.#quietMs = quietMs;
	}

	/**
	 * Whether a message is to be told now.
	 * @returns how often it was suppressed since it was told last; null when it is suppressed now
	 */
	admit(text: string, nowMs: number): number | null {
		const last = this.#told.get(text);
		if (last !== undefined && Math.abs(nowMs - last.atMs) < this.#quietMs) {
			last.suppressed++;
			return null;
		}
		if (last === undefined && this.#told.size >= MAX_TEXTS) this.#told.clear();
		this.#told.set(text, { atMs: nowMs, suppressed: 0 });
		return last?.suppressed ?? 0;
	}
}
