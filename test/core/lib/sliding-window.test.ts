import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import { SlidingWindow } from "../../../src/core/lib/sliding-window.ts";
import { CountedWindow } from "../../support/counted-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);

/** The rule as it reads: every admitted request is kept for ever and counted anew. */
class Reference {
	readonly #admitted: { readonly key: string; readonly ms: number }[] = [];

	constructor(
		readonly limit: number,
		readonly windowMs: number,
	) {}

	admit(key: string, nowMs: number) {
		const admitted = this.#counted(key, nowMs).length < this.limit;
		if (admitted) this.#admitted.push({ key, ms: nowMs });
		const remaining = this.limit - this.#counted(key, nowMs).length;
		return { admitted, remaining };
	}

	refund(key: string, nowMs: number): void {
		const newest = this.#counted(key, nowMs).at(-1);
		if (newest === undefined) return;
		this.#admitted.splice(this.#admitted.lastIndexOf(newest), 1);
	}

	/** Whole seconds, one by one, until fewer requests lie in the window than do now. */
	secondsUntilRoom(key: string, nowMs: number): number {
		const before = this.#counted(key, nowMs).length;
		let seconds = 1;
		while (this.#counted(key, nowMs + seconds * SECOND_MS).length >= before) {
			seconds++;
		}
		return seconds;
	}

	#counted(key: string, nowMs: number) {
		return this.#admitted.filter((one) => one.key === key && one.ms > nowMs - this.windowMs);
	}
}

test("a window admits, refunds and counts as the naive reference does, over thousands of random steps", () => {
	const windowMs = 10 * SECOND_MS;
	const step = fc.record({
		key: fc.constantFrom("a", "", "__proto__"),
		isRefund: fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0),
		// Most steps are short, and some land exactly on the window's edge.
		passesMs: fc.oneof(
			fc.integer({ min: 0, max: 500 }),
			fc.constantFrom(0, 1, windowMs - 1, windowMs, windowMs + 1, SECOND_MS),
		),
	});
	// A failure prints the seed and the shortest history that shows it.
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 6 }),
			fc.array(step, { minLength: 40, maxLength: 80 }),
			(limit, history) => {
				const window = new CountedWindow(limit, windowMs, 1_000);
				const reference = new Reference(limit, windowMs);
				let nowMs = START_MS;
				for (const { key, isRefund, passesMs } of history) {
					nowMs += passesMs;
					if (isRefund) {
						window.refund(key, nowMs);
						reference.refund(key, nowMs);
						continue;
					}
					const { resetSeconds, ...verdict } = window.admit(key, nowMs);
					expect(verdict).toEqual(reference.admit(key, nowMs));
					expect(resetSeconds).toBe(reference.secondsUntilRoom(key, nowMs));
				}
			},
		),
		{ numRuns: 200 },
	);
});

test("a clock that was set back locks no one out, nor for longer than a window", () => {
	const window = new CountedWindow(3, WINDOW_MS, 100);
	for (let call = 0; call < 3; call++) window.admit("a", START_MS);
	const setBack = [1, 2, 3, 4].map((ms) => window.admit("a", START_MS - 24 * HOUR_MS + ms));
	expect(setBack.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
	for (const { resetSeconds } of setBack) {
		expect(resetSeconds).toBeWithin(1, WINDOW_MS / SECOND_MS + 1);
	}
});

test.each(["ab", "ba", "ac", "ca"])(
	"of the keys %s, the one with the least room decides, or else the one that resets last",
	(keys) => {
		const window = new SlidingWindow(WINDOW_MS, 100);
		const limits = new Map([
			["a", 2],
			["b", 3],
			["c", 9],
		]);
		const of = (names: string) => [...names].map((key) => ({ key, limit: limits.get(key) ?? 0 }));
		window.admit(of("b"), START_MS);
		window.admit(of("ab"), START_MS + SECOND_MS);
		const verdict = window.admit(of(keys), START_MS + SECOND_MS);
		expect(verdict).toEqual({
			admitted: true,
			remaining: 0,
			resetSeconds: 900,
		});
	},
);

describe("the memory of a sliding window", () => {
	test("keys that have left their window are forgotten", () => {
		const window = new CountedWindow(3, WINDOW_MS, 10_000);
		for (let key = 0; key < 500; key++) window.admit(`${key}`, START_MS);
		expect(window.size).toBe(500);
		window.admit("late", START_MS + WINDOW_MS - 1);
		expect(window.size).toBe(501);
		window.admit("later", START_MS + WINDOW_MS);
		expect(window.size).toBe(2);
		window.admit("latest", START_MS + 2 * WINDOW_MS);
		expect(window.size).toBe(1);
	});

	test("a key is kept as long as its newest request counts", () => {
		const window = new CountedWindow(3, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		window.admit("a", START_MS + WINDOW_MS - 1);
		window.admit("b", START_MS + WINDOW_MS);
		const later = START_MS + 2 * WINDOW_MS - 2;
		expect(window.admit("a", later).remaining).toBe(1);
		expect(window.admit("a", later + 1).remaining).toBe(1);
	});

	test("a refused request renews nothing", () => {
		const window = new CountedWindow(1, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		for (let ms = 0; ms < 100; ms++) window.admit("a", START_MS + ms);
		expect(window.size).toBe(1);
		window.admit("b", START_MS + WINDOW_MS);
		window.admit("b", START_MS + 2 * WINDOW_MS);
		expect(window.size).toBe(1);
	});

	test("stores at most the given number of keys, and forgets the key whose last request is the oldest", () => {
		const window = new CountedWindow(2, WINDOW_MS, 1_000);
		for (const key of ["a", "b", "a"]) window.admit(key, START_MS);
		for (let key = 0; key < 999; key++) window.admit(`${key}`, START_MS + key);
		expect(window.size).toBe(1_000);
		// A refused request does not make a key newer.
		expect(window.admit("a", START_MS + 999).admitted).toBe(false);
		expect(window.admit("b", START_MS + 999).remaining).toBe(1);
		expect(window.size).toBe(1_000);
		expect(window.admit("a", START_MS + 999).remaining).toBe(1);
	});

	test("a known key pushes no other out when the memory is full", () => {
		const window = new CountedWindow(9, WINDOW_MS, 3);
		for (const [ms, key] of ["a", "b", "a", "b", "b", "a"].entries()) {
			window.admit(key, START_MS + ms);
		}
		expect(window.size).toBe(2);
		expect(window.admit("a", START_MS + 6).remaining).toBe(5);
		expect(window.admit("b", START_MS + 6).remaining).toBe(5);
	});

	test("a key that has nothing left after a refund is forgotten", () => {
		const window = new CountedWindow(3, WINDOW_MS, 100);
		window.admit("a", START_MS);
		window.admit("b", START_MS);
		window.refund("a", START_MS);
		expect(window.size).toBe(1);
	});
});
