import { describe, expect, test } from "bun:test";
import { MINUTE_MS } from "../../src/lib/clock.ts";
import { CountedWindow } from "../support/counted-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);

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

	test("nothing is left after a pause of two windows", () => {
		const window = new CountedWindow(3, WINDOW_MS, 10_000);
		for (let key = 0; key < 500; key++) window.admit(`${key}`, START_MS);
		window.admit("late", START_MS + 2 * WINDOW_MS);
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

	test("newcomers share what is left, and one of them shuts out few others", () => {
		const window = new CountedWindow(3, WINDOW_MS, 1_600);
		for (let key = 0; key < 1_500; key++) window.admit(`${key}`, START_MS);
		// However often it asks, one newcomer fills one of the 100 shared places.
		let admitted = 0;
		for (let call = 0; call < 1_000; call++) {
			if (window.admit("greedy", START_MS).admitted) admitted++;
		}
		expect(admitted).toBe(3);
		const others = Array.from({ length: 100 }, (_, at) => `other ${at}`);
		const served = others.filter((key) => window.admit(key, START_MS).admitted);
		expect(served.length).toBeGreaterThan(80);
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

	test("a newcomer does not begin again at zero when places become free", () => {
		const window = new CountedWindow(3, WINDOW_MS, 16);
		for (let key = 0; key < 15; key++) window.admit(`${key}`, START_MS);
		const late = START_MS + WINDOW_MS - 1;
		for (let call = 0; call < 3; call++) {
			expect(window.admit("new", late).admitted).toBe(true);
		}
		// All the others have left their window.
		const after = late + WINDOW_MS;
		expect(window.admit("new", after - 1).admitted).toBe(false);
		expect(window.admit("new", after).remaining).toBe(2);
		expect(window.admit("other", after).remaining).toBe(2);
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
});
