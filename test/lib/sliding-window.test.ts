import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
import { SlidingWindow } from "../../src/lib/sliding-window.ts";
import { CountedWindow } from "../support/counted-window.ts";

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
					const before = window.check(key, nowMs);
					const { resetSeconds, ...verdict } = window.admit(key, nowMs);
					expect(verdict).toEqual(reference.admit(key, nowMs));
					// A check counts nothing.
					expect(before.admitted).toBe(verdict.admitted);
					const counted = verdict.admitted ? 1 : 0;
					expect(before.remaining).toBe(verdict.remaining + counted);
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
		const verdict = window.check(of(keys), START_MS + SECOND_MS);
		expect(verdict).toEqual({
			admitted: true,
			remaining: 1,
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

	test("ten times as many keys as it may keep stay within the bound", () => {
		const window = new CountedWindow(3, WINDOW_MS, 1_000);
		let most = 0;
		for (let key = 0; key < 10_000; key++) {
			window.admit(`${key}`, START_MS + key);
			most = Math.max(most, window.size);
		}
		expect(most).toBeWithin(937, 1_001);
	});

	test("a key at its limit stays at it, however many others come", () => {
		const window = new CountedWindow(3, WINDOW_MS, 1_000);
		for (let call = 0; call < 3; call++) window.admit("a", START_MS);
		for (let key = 0; key < 60_000; key++) {
			window.admit(`${key}`, START_MS + key);
			if (key % 1_000 !== 0) continue;
			expect(window.admit("a", START_MS + key).admitted).toBe(false);
		}
		const last = START_MS + WINDOW_MS - 1;
		expect(window.admit("a", last).admitted).toBe(false);
		expect(window.admit("a", last + 1).admitted).toBe(true);
	});

	test("a key whose requests count keeps its count when the memory is full", () => {
		const window = new CountedWindow(3, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		for (let key = 0; key < 5_000; key++) window.admit(`${key}`, START_MS + 1);
		expect(window.admit("a", START_MS + 2).remaining).toBe(1);
	});

	test("newcomers share what is left, and one of them shuts out few others, which nobody can choose", () => {
		const served = [1, 2].map(() => {
			const window = new CountedWindow(3, WINDOW_MS, 1_600);
			for (let key = 0; key < 1_500; key++) window.admit(`${key}`, START_MS);
			// However often it calls, one new caller uses only one of the 100 shared slots.
			let admitted = 0;
			for (let call = 0; call < 1_000; call++) {
				if (window.admit("greedy", START_MS).admitted) admitted++;
			}
			expect(admitted).toBe(3);
			const others = Array.from({ length: 300 }, (_, at) => `other ${at}`);
			return others.map((key) => window.admit(key, START_MS).admitted);
		});
		const [first = [], second = []] = served;
		expect(first.slice(0, 100).filter(Boolean).length).toBeGreaterThan(80);
		expect(first).not.toEqual(second);
	});

	test("all newcomers together get no more than the shared places hold", () => {
		const window = new CountedWindow(3, WINDOW_MS, 1_600);
		for (let key = 0; key < 1_500; key++) window.admit(`${key}`, START_MS);
		let admitted = 0;
		for (let key = 0; key < 20_000; key++) {
			if (window.admit(`new ${key}`, START_MS).admitted) admitted++;
		}
		expect(admitted).toBe(300);
	});

	test.each([1, 2, 3])(
		"a newcomer with %d requests does not begin again at zero when places become free",
		(count) => {
			const window = new CountedWindow(3, WINDOW_MS, 16);
			for (let key = 0; key < 15; key++) window.admit(`${key}`, START_MS);
			const late = START_MS + WINDOW_MS - 1;
			for (let call = 0; call < count; call++) {
				expect(window.admit("new", late).admitted).toBe(true);
			}
			// The calls at the other times are no longer in the window.
			const after = late + WINDOW_MS;
			expect(window.check("new", after - 1).remaining).toBe(3 - count);
			expect(window.admit("new", after).remaining).toBe(2);
			expect(window.admit("other", after).remaining).toBe(2);
		},
	);

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

	test("a newcomer in a full memory gets a refund, too", () => {
		const window = new CountedWindow(1, WINDOW_MS, 16);
		for (let key = 0; key < 15; key++) window.admit(`${key}`, START_MS);
		expect(window.admit("new", START_MS).admitted).toBe(true);
		expect(window.admit("new", START_MS).admitted).toBe(false);
		window.refund("new", START_MS);
		expect(window.admit("new", START_MS).admitted).toBe(true);
	});
});
