import { SECOND_MS } from "../../lib/clock.ts";

/**
 * Remembers nonces until they expire. Bounded: when it is full of live ones it admits no more, because to
 * forget one would let its call be replayed.
 *
 * Nonces lie in buckets by the second in which they expire, so that a call costs the same however many are
 * remembered. What was forgotten is known by its time: when the clock is set back, nothing that expires by then
 * is admitted.
 */
export class NonceMemory {
	readonly #live = new Set<string>();
	/** The live nonces by the second before whose end they expire. */
	readonly #bySecond = new Map<number, string[]>();
	/** The end of the last second that was forgotten. */
	#forgottenMs = Number.NEGATIVE_INFINITY;

	/** @param maxNonces how many it remembers at most */
	constructor(readonly maxNonces: number) {}

	/** How many nonces are remembered. */
	get size(): number {
		return this.#live.size;
	}

	/**
	 * Uses a nonce up.
	 * @param untilMs the last moment at which it may be used
	 * @param nowMs the present moment, not after `untilMs`
	 * @returns whether it could be used: it was new, and there was room to remember it
	 */
	use(nonce: string, untilMs: number, nowMs: number): boolean {
		const second = Math.floor(untilMs / SECOND_MS);
		const bucket = this.#bySecond.get(second);
		// Once a second is enough, as long as there is room.
		if (bucket === undefined || this.#live.size >= this.maxNonces) {
			this.#forget(nowMs);
		}
		const isFull = this.#live.size >= this.maxNonces;
		if (untilMs < this.#forgottenMs || isFull || this.#live.has(nonce)) {
			return false;
		}
		this.#live.add(nonce);
		if (bucket === undefined) this.#bySecond.set(second, [nonce]);
		else bucket.push(nonce);
		return true;
	}

	#forget(nowMs: number): void {
		for (const [second, nonces] of this.#bySecond) {
			const endMs = (second + 1) * SECOND_MS;
			if (endMs > nowMs) continue;
			for (const nonce of nonces) this.#live.delete(nonce);
			this.#bySecond.delete(second);
			this.#forgottenMs = Math.max(this.#forgottenMs, endMs);
		}
	}
}
