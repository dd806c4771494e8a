import { type KeyLimit, SlidingWindow, type Verdict } from "../../src/core/lib/sliding-window.ts";

/**
 * A {@link SlidingWindow} that counts each request under a single key, with the same limit for all keys.
 * With `keysOf`, each request is instead counted under all keys, with their limits, that this returns for it.
 */
export class CountedWindow {
	readonly #window: SlidingWindow;
	readonly #keysOf: (key: string) => readonly KeyLimit[];

	constructor(
		limit: number,
		windowMs: number,
		maxKeys: number,
		keysOf = (key: string): readonly KeyLimit[] => [{ key, limit }],
	) {
		this.#window = new SlidingWindow(windowMs, maxKeys);
		this.#keysOf = keysOf;
	}

	get size(): number {
		return this.#window.size;
	}

	admit(key: string, nowMs: number): Verdict {
		return this.#window.admit(this.#keysOf(key), nowMs);
	}

	refund(key: string, nowMs: number): void {
		this.#window.refund(this.#keysOf(key), nowMs);
	}
}
