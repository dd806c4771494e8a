import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import { networkLimits } from "../../../src/core/lib/ip-address.ts";
import { SlidingWindow } from "../../../src/core/lib/sliding-window.ts";
import { CountedWindow } from "../../support/counted-window.ts";

const WINDOW_MS = 15 * MINUTE_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);

test("a sliding window admits, refunds and counts random requests as a simple reference implementation does", () => {
	const windowMs = 10 * SECOND_MS;
	const step = fc.record({
		key: fc.constantFrom("a", "", "__proto__"),
		isRefund: fc.integer({ min: 0, max: 5 }).map((drawn) => drawn === 0),
		// Most steps of the clock are short, and some end exactly at the end of the window.
		passesMs: fc.oneof(
			fc.integer({ min: 0, max: 500 }),
			fc.constantFrom(0, 1, windowMs - 1, windowMs, windowMs + 1, SECOND_MS),
		),
	});
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 6 }),
			fc.array(step, { minLength: 40, maxLength: 80 }),
			(limit, history) => {
				const window = new CountedWindow(limit, windowMs, 1_000);
				// The simple implementation keeps every admitted request, and counts all of them at each call.
				const kept: { readonly key: string; readonly ms: number }[] = [];
				const countAt = (key: string, nowMs: number) =>
					kept.filter((one) => one.key === key && one.ms > nowMs - windowMs).length;
				let nowMs = START_MS;
				for (const { key, isRefund, passesMs } of history) {
					nowMs += passesMs;
					if (isRefund) {
						window.refund(key, nowMs);
						const newest = kept.findLastIndex((one) => one.key === key);
						if (countAt(key, nowMs) > 0) kept.splice(newest, 1);
						continue;
					}
					const { resetSeconds, ...verdict } = window.admit(key, nowMs);
					const admitted = countAt(key, nowMs) < limit;
					if (admitted) kept.push({ key, ms: nowMs });
					const count = countAt(key, nowMs);
					expect(verdict).toEqual({ admitted, remaining: limit - count });
					let seconds = 1;
					while (countAt(key, nowMs + seconds * SECOND_MS) >= count) seconds++;
					expect(resetSeconds).toBe(seconds);
				}
			},
		),
		{ numRuns: 200 },
	);
});

test("a sliding window ignores requests whose times are in the future because the clock was set back", () => {
	const window = new CountedWindow(3, WINDOW_MS, 100);
	for (let call = 0; call < 3; call++) window.admit("a", START_MS);
	const setBack = [1, 2, 3, 4].map((ms) => window.admit("a", START_MS - 24 * HOUR_MS + ms));
	expect(setBack.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
	for (const { resetSeconds } of setBack) {
		expect(resetSeconds).toBeWithin(1, WINDOW_MS / SECOND_MS + 1);
	}
});

test.each(["a, b", "b, a", "a, c", "c, a"])(
	"a request with the keys `%s` gets the stricter verdict: fewer requests left or, if equal, the later reset",
	(keys) => {
		const window = new SlidingWindow(WINDOW_MS, 100);
		const limits = new Map([
			["a", 2],
			["b", 3],
			["c", 9],
		]);
		const of = (names: string) => names.split(", ").map((key) => ({ key, limit: limits.get(key) ?? 0 }));
		window.admit(of("b"), START_MS);
		window.admit(of("a, b"), START_MS + SECOND_MS);
		const verdict = window.admit(of(keys), START_MS + SECOND_MS);
		expect(verdict).toEqual({ admitted: true, remaining: 0, resetSeconds: 900 });
	},
);

describe("a sliding window", () => {
	test("deletes keys whose requests have left the window or were refunded", () => {
		const window = new CountedWindow(3, WINDOW_MS, 10_000);
		for (let key = 0; key < 500; key++) window.admit(`${key}`, START_MS);
		expect(window.size).toBe(500);
		window.admit("late", START_MS + WINDOW_MS - 1);
		expect(window.size).toBe(501);
		window.admit("later", START_MS + WINDOW_MS);
		expect(window.size).toBe(2);
		window.refund("later", START_MS + WINDOW_MS);
		expect(window.size).toBe(1);
	});

	test("stores at most the given number of keys, and deletes the key whose last request is the oldest", () => {
		const window = new CountedWindow(2, WINDOW_MS, 1_000);
		for (const key of ["a", "b", "a"]) window.admit(key, START_MS);
		for (let key = 0; key < 999; key++) window.admit(`${key}`, START_MS + key);
		expect(window.size).toBe(1_000);
		// A refused request does not make its key newer: `a` stays the oldest key, which is deleted to store `b`.
		expect(window.admit("a", START_MS + 999).admitted).toBe(false);
		expect(window.admit("b", START_MS + 999).remaining).toBe(1);
		expect(window.size).toBe(1_000);
		expect(window.admit("a", START_MS + 999).remaining).toBe(1);
	});
});

test("a refund to one /64 network lets another one in the same /48 send a request", () => {
	const window = new SlidingWindow(WINDOW_MS, 1_000);
	const keysOf = (at: number) => networkLimits(`2001:db8:1:${at.toString(16)}::/64`, 1);
	const isAdmitted = (at: number) => window.admit(keysOf(at), START_MS).admitted;
	for (let at = 1; at <= 10; at++) expect(isAdmitted(at)).toBe(true);
	expect(isAdmitted(11)).toBe(false);
	window.refund(keysOf(1), START_MS);
	expect([isAdmitted(11), isAdmitted(1)]).toEqual([true, false]);
});
