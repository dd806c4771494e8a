import { expect, test } from "bun:test";
import fc from "fast-check";
import { SECOND_MS } from "../../src/lib/clock.ts";
import { CountedWindow } from "../support/counted-window.ts";

/** The rule as it reads: every admitted request is kept for ever and counted anew. */
class Reference {
	readonly #admitted: { readonly key: string; readonly ms: number }[] = [];

	constructor(
		readonly limit: number,
		readonly windowMs: number,
	) {}

	admit(key: string, nowMs: number) {
		const admitted = this.#count(key, nowMs) < this.limit;
		if (admitted) this.#admitted.push({ key, ms: nowMs });
		return { admitted, remaining: this.limit - this.#count(key, nowMs) };
	}

	/** Whole seconds, one by one, until fewer requests lie in the window than do now. */
	secondsUntilRoom(key: string, nowMs: number): number {
		const before = this.#count(key, nowMs);
		let seconds = 1;
		while (this.#count(key, nowMs + seconds * SECOND_MS) >= before) seconds++;
		return seconds;
	}

	#count(key: string, nowMs: number): number {
		return this.#admitted.filter(
			(one) => one.key === key && one.ms > nowMs - this.windowMs,
		).length;
	}
}

const windowMs = 10 * SECOND_MS;

const step = fc.record({
	key: fc.constantFrom("a", "b", "c"),
	// Most steps are short, and some land exactly on the window's edge.
	passesMs: fc.oneof(
		fc.integer({ min: 0, max: 500 }),
		fc.constantFrom(0, 1, windowMs - 1, windowMs, windowMs + 1, SECOND_MS),
	),
});

test("says what the naive reference says, over thousands of random steps", () => {
	let steps = 0;
	// A failure prints the seed and the shortest history that shows it.
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 6 }),
			fc.array(step, { minLength: 40, maxLength: 80 }),
			(limit, history) => {
				const window = new CountedWindow(limit, windowMs, 1_000);
				const reference = new Reference(limit, windowMs);
				let nowMs = Date.UTC(2026, 2, 10);
				for (const { key, passesMs } of history) {
					nowMs += passesMs;
					steps++;
					const { resetSeconds, ...verdict } = window.admit(key, nowMs);
					expect(verdict).toEqual(reference.admit(key, nowMs));
					expect(resetSeconds).toBe(reference.secondsUntilRoom(key, nowMs));
				}
			},
		),
		{ numRuns: 200 },
	);
	expect(steps).toBeGreaterThanOrEqual(200 * 40);
});
