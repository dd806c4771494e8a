import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
import { CountedWindow } from "../support/counted-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);

/** A window of three requests in 15 minutes. */
function threeIn15Minutes(): CountedWindow {
	return new CountedWindow(3, WINDOW_MS, 100);
}

/** Which of these moments, counted from the start, are admitted. */
function admitted(window: CountedWindow, timesMs: readonly number[]) {
	return timesMs.filter((ms) => window.admit("a", START_MS + ms).admitted);
}

describe("a sliding window", () => {
	test("admits as many as the limit and tells how many are left", () => {
		const window = threeIn15Minutes();
		const verdicts = [0, 1, 2, 3].map((ms) => window.admit("a", START_MS + ms));
		expect(verdicts.map((verdict) => verdict.admitted)).toEqual([
			true,
			true,
			true,
			false,
		]);
		expect(verdicts.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
	});

	test("admits one more when the oldest request is exactly a window old, and not 1 ms before", () => {
		const window = threeIn15Minutes();
		expect(admitted(window, [0, 10, 20])).toHaveLength(3);
		expect(
			admitted(window, [
				WINDOW_MS - 1,
				WINDOW_MS,
				WINDOW_MS + 9,
				WINDOW_MS + 10,
				WINDOW_MS + 19,
				WINDOW_MS + 20,
				WINDOW_MS + 21,
			]),
		).toEqual([WINDOW_MS, WINDOW_MS + 10, WINDOW_MS + 20]);
	});

	test("slides: no span of one window ever holds more than the limit, wherever it begins", () => {
		const window = threeIn15Minutes();
		const half = WINDOW_MS / 2;
		// A fixed window would admit three just before its end and three just after.
		expect(
			admitted(window, [
				half - 3,
				half - 2,
				half - 1,
				half,
				half + 1,
				WINDOW_MS,
				WINDOW_MS + half - 4,
				WINDOW_MS + half - 3,
			]),
		).toEqual([half - 3, half - 2, half - 1, WINDOW_MS + half - 3]);
	});

	test("does not count what it refuses", () => {
		const window = threeIn15Minutes();
		admitted(window, [0, 0, 0]);
		const flood = Array.from({ length: 500 }, (_, at) => at * SECOND_MS);
		expect(admitted(window, flood)).toEqual([]);
		expect(admitted(window, [WINDOW_MS, WINDOW_MS, WINDOW_MS])).toHaveLength(3);
	});

	test("counts each key for itself", () => {
		const window = new CountedWindow(1, WINDOW_MS, 100);
		expect(window.admit("a", START_MS).admitted).toBe(true);
		expect(window.admit("b", START_MS).admitted).toBe(true);
		expect(window.admit("a", START_MS + 1).admitted).toBe(false);
		expect(window.admit("", START_MS + 1).admitted).toBe(true);
		expect(window.admit("__proto__", START_MS + 1).admitted).toBe(true);
		expect(window.admit("__proto__", START_MS + 1).admitted).toBe(false);
	});
});

describe("the seconds until one more is admitted", () => {
	test.each([
		// [age of the oldest request, whole seconds to wait]
		[0, 900],
		[1, 900],
		[999, 900],
		[1_000, 899],
		[WINDOW_MS - 1_001, 2],
		[WINDOW_MS - 1_000, 1],
		[WINDOW_MS - 999, 1],
		[WINDOW_MS - 1, 1],
	])("oldest %d ms ago: %d s", (ageMs, seconds) => {
		const window = new CountedWindow(1, WINDOW_MS, 100);
		window.admit("a", START_MS);
		const refusedMs = START_MS + ageMs;
		const { admitted, resetSeconds } = window.admit("a", refusedMs);
		expect(admitted).toBe(false);
		expect(resetSeconds).toBe(seconds);
		// One second less is too early, so the seconds are as few as whole ones can be.
		const retryMs = refusedMs + resetSeconds * SECOND_MS;
		expect(window.admit("a", retryMs - SECOND_MS).admitted).toBe(false);
		expect(window.admit("a", retryMs).admitted).toBe(true);
	});

	test("is exact to the millisecond when the request came on a whole second", () => {
		const window = new CountedWindow(2, HOUR_MS, 100);
		window.admit("a", START_MS);
		window.admit("a", START_MS + 7_000);
		const { resetSeconds } = window.admit("a", START_MS + 60_000);
		const retryMs = START_MS + 60_000 + resetSeconds * SECOND_MS;
		expect(window.admit("a", retryMs - 1).admitted).toBe(false);
		expect(window.admit("a", retryMs).admitted).toBe(true);
	});
});

describe("a clock that was set back", () => {
	test("locks no one out", () => {
		const window = threeIn15Minutes();
		admitted(window, [0, 0, 0]);
		const setBack = [1, 2, 3].map((ms) => ms - 24 * HOUR_MS);
		expect(admitted(window, setBack)).toEqual(setBack);
		expect(window.admit("a", START_MS - 24 * HOUR_MS + 4).admitted).toBe(false);
	});

	test("never makes anyone wait longer than one window", () => {
		const window = threeIn15Minutes();
		admitted(window, [0, 0, 0]);
		for (let ms = 0; ms < 10; ms++) {
			const { resetSeconds } = window.admit("a", START_MS - HOUR_MS + ms);
			expect(resetSeconds).toBeLessThanOrEqual(WINDOW_MS / SECOND_MS);
			expect(resetSeconds).toBeGreaterThanOrEqual(1);
		}
	});
});

describe("giving back", () => {
	test("takes back the newest admission and no more", () => {
		const window = threeIn15Minutes();
		admitted(window, [0, 10, 20]);
		window.refund("a", START_MS + 30);
		expect(admitted(window, [40, 50])).toEqual([40]);
		// The oldest two were left: they make room when their own time has come.
		const later = [WINDOW_MS - 1, WINDOW_MS, WINDOW_MS + 9, WINDOW_MS + 10];
		expect(admitted(window, later)).toEqual([WINDOW_MS, WINDOW_MS + 10]);
	});

	test("forgets a key that has nothing left, and leaves others alone", () => {
		const window = threeIn15Minutes();
		window.admit("a", START_MS);
		window.admit("b", START_MS);
		window.refund("a", START_MS);
		expect(window.size).toBe(1);
		expect(window.admit("b", START_MS).remaining).toBe(1);
		expect(window.admit("a", START_MS).remaining).toBe(2);
	});

	test("gives nothing for a key that was not admitted in the window", () => {
		const window = threeIn15Minutes();
		window.refund("a", START_MS);
		admitted(window, [0, 0, 0]);
		window.refund("a", START_MS + WINDOW_MS);
		expect(window.size).toBe(0);
		expect(window.admit("a", START_MS + WINDOW_MS).remaining).toBe(2);
	});

	test("works for a newcomer in a full memory", () => {
		const window = new CountedWindow(1, WINDOW_MS, 16);
		for (let key = 0; key < 15; key++) window.admit(`${key}`, START_MS);
		expect(window.admit("new", START_MS).admitted).toBe(true);
		expect(window.admit("new", START_MS).admitted).toBe(false);
		window.refund("new", START_MS);
		expect(window.admit("new", START_MS).admitted).toBe(true);
	});
});
