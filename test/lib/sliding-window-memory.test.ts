import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../src/lib/clock.ts";
import { SlidingWindow } from "../../src/lib/sliding-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);

describe("the memory of a sliding window", () => {
	test("keys that have left their window are forgotten with their generation", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 10_000);
		for (let key = 0; key < 500; key++) window.admit(`${key}`, START_MS);
		expect(window.size).toBe(500);
		window.admit("late", START_MS + WINDOW_MS - 1);
		expect(window.size).toBe(501);
		window.admit("later", START_MS + WINDOW_MS);
		window.admit("latest", START_MS + 2 * WINDOW_MS);
		expect(window.size).toBe(2);
	});

	test("nothing is left after a pause of two windows", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 10_000);
		for (let key = 0; key < 500; key++) window.admit(`${key}`, START_MS);
		window.admit("late", START_MS + 2 * WINDOW_MS);
		expect(window.size).toBe(1);
	});

	test("a key is kept as long as its newest request counts", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		window.admit("a", START_MS + WINDOW_MS - 1);
		window.admit("b", START_MS + WINDOW_MS);
		const later = START_MS + 2 * WINDOW_MS - 2;
		expect(window.admit("a", later).remaining).toBe(1);
		expect(window.admit("a", later + 1).remaining).toBe(1);
	});

	test("a refused request renews nothing", () => {
		const window = new SlidingWindow(1, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		for (let ms = 0; ms < 100; ms++) window.admit("a", START_MS + ms);
		expect(window.size).toBe(1);
		window.admit("b", START_MS + WINDOW_MS);
		window.admit("b", START_MS + 2 * WINDOW_MS);
		expect(window.size).toBe(1);
	});

	test("ten times as many keys as it may keep stay within the bound", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 1_000);
		let most = 0;
		for (let key = 0; key < 10_000; key++) {
			expect(window.admit(`${key}`, START_MS + key).admitted).toBe(true);
			most = Math.max(most, window.size);
		}
		expect(most).toBeWithin(500, 1_001);
	});

	test("when it is full, those go that were not admitted for longest", () => {
		const window = new SlidingWindow(1, WINDOW_MS, 4);
		for (const [ms, key] of ["a", "b", "c", "d", "e"].entries()) {
			expect(window.admit(key, START_MS + ms).admitted).toBe(true);
		}
		for (const key of ["c", "d", "e"]) {
			expect(window.admit(key, START_MS + 5).admitted).toBe(false);
		}
		expect(window.admit("a", START_MS + 5).admitted).toBe(true);
	});

	test("a known key pushes no other out when the memory is full", () => {
		const window = new SlidingWindow(9, WINDOW_MS, 4);
		for (const [ms, key] of ["a", "b", "a", "b", "b", "a"].entries()) {
			window.admit(key, START_MS + ms);
		}
		expect(window.size).toBe(2);
		expect(window.admit("a", START_MS + 6).remaining).toBe(5);
		expect(window.admit("b", START_MS + 6).remaining).toBe(5);
	});
});
