import { createCache } from "./bounded-cache.ts";

/** The most messages that are stored. */
const MAX_TEXTS = 100;

/** Suppresses repeated log messages. */
export class Suppressor {
	readonly #quietMs: number;
	readonly #logged = createCache<{ atMs: number; suppressed: number }>(
		MAX_TEXTS,
	);

	/** @param quietMs how long a message is suppressed after it was logged */
	constructor(quietMs: number) {
		this.#quietMs = quietMs;
	}

	/**
	 * Decides whether to log a message now.
	 * @returns how often it was suppressed since it was last logged; null if it is suppressed now
	 */
	admit(text: string, nowMs: number): number | null {
		const last = this.#logged.get(text);
		if (last !== undefined && Math.abs(nowMs - last.atMs) < this.#quietMs) {
			last.suppressed++;
			return null;
		}
		this.#logged.set(text, { atMs: nowMs, suppressed: 0 });
		return last?.suppressed ?? 0;
	}
}
