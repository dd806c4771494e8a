import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../src/lib/clock.ts";
import { SlidingWindow } from "../../src/lib/sliding-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);

describe("the memory of a sliding window", () => {
	test("a key is forgotten once its window has passed", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 1_000);
		for (let key = 0; key < 500; key++) window.admit(`${key}`, START_MS);
		expect(window.size).toBe(500);
		window.admit("late", START_MS + WINDOW_MS - 1);
		expect(window.size).toBe(501);
		window.admit("later", START_MS + WINDOW_MS);
		expect(window.size).toBe(2);
	});

	test("a key is kept as long as its newest request counts", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		window.admit("b", START_MS + 1);
		window.admit("a", START_MS + 2);
		window.admit("c", START_MS + WINDOW_MS + 1);
		expect(window.size).toBe(2);
		expect(window.admit("a", START_MS + WINDOW_MS + 1).remaining).toBe(1);
	});

	test("a refused request is not remembered", () => {
		const window = new SlidingWindow(1, WINDOW_MS, 1_000);
		window.admit("a", START_MS);
		for (let ms = 0; ms < 100; ms++) window.admit("a", START_MS + ms);
		expect(window.size).toBe(1);
		window.admit("b", START_MS + WINDOW_MS);
		expect(window.size).toBe(1);
	});

	test("ten times as many keys as it may keep stay within the bound", () => {
		const window = new SlidingWindow(3, WINDOW_MS, 1_000);
		let most = 0;
		for (let key = 0; key < 10_000; key++) {
			expect(window.admit(`${key}`, START_MS + key).admitted).toBe(true);
			most = Math.max(most, window.size);
		}
		expect(most).toBe(1_000);
	});

	test("a new key takes the place of the one that was admitted longest ago", () => {
		const window = new SlidingWindow(1, WINDOW_MS, 3);
		for (const [ms, key] of ["a", "b", "c"].entries()) {
			window.admit(key, START_MS + ms);
		}
		window.admit("d", START_MS + 3);
		expect(window.size).toBe(3);
		for (const key of ["b", "c", "d"]) {
			expect(window.admit(key, START_MS + 4).admitted).toBe(false);
		}
		expect(window.admit("a", START_MS + 4).admitted).toBe(true);
	});

	test("longest ago is by the newest admission, and a refused request does not renew it", () => {
		const window = new SlidingWindow(2, WINDOW_MS, 3);
		for (const [ms, key] of ["a", "b", "c", "a", "a", "b", "b"].entries()) {
			window.admit(key, START_MS + ms);
		}
		// Newest admissions now: c at 2, a at 3, b at 5.
		window.admit("d", START_MS + 10);
		window.admit("e", START_MS + 11);
		expect(window.admit("b", START_MS + 12).admitted).toBe(false);
		expect(window.admit("a", START_MS + 13).remaining).toBe(1);
	});

	test("a known key pushes no other out when the memory is full", () => {
		const window = new SlidingWindow(5, WINDOW_MS, 2);
		window.admit("a", START_MS);
		window.admit("b", START_MS + 1);
		window.admit("b", START_MS + 2);
		window.admit("a", START_MS + 3);
		expect(window.size).toBe(2);
		expect(window.admit("a", START_MS + 4).remaining).toBe(2);
		expect(window.admit("b", START_MS + 4).remaining).toBe(2);
	});
});
