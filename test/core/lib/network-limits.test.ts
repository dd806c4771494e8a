import { expect, test } from "bun:test";
import fc from "fast-check";
import { SECOND_MS } from "../../../src/core/lib/clock.ts";
import { clientKey } from "../../../src/core/lib/ip-address.ts";
import { networkLimits } from "../../../src/core/lib/network-limits.ts";
import { CountedWindow } from "../../support/counted-window.ts";

const WINDOW_MS = 900 * SECOND_MS;
const START_MS = Date.UTC(2026, 2, 10, 12);
const LIMIT = 2;

function windowOf(limit: number, windowMs: number, maxKeys: number) {
	return new CountedWindow(limit, windowMs, maxKeys, (key) => networkLimits(key, limit));
}

const keyOf = (address: string) => clientKey(address, null, []);

/** How many of so many calls are admitted, each from an address of its own. */
function admitted(window: CountedWindow, addresses: readonly string[], nowMs = START_MS): number {
	return addresses.filter((one) => window.admit(keyOf(one), nowMs).admitted).length;
}

/** Addresses in networks of their own; `at` makes the number of a network. */
function addresses(count: number, at: (index: number) => string): string[] {
	return Array.from({ length: count }, (_, index) => `${at(index)}::1`);
}

const hex = (value: number) => value.toString(16);

test("a refusal returns the time at which all windows admit one more", () => {
	const window = windowOf(LIMIT, WINDOW_MS, 10_000);
	const key = keyOf("2001:db8:1:1::1");
	window.admit(key, START_MS);
	window.admit(key, START_MS);
	// The /48 is full until 100 s after the /64 has room again.
	for (let at = 2; at < 20; at++) {
		const nowMs = START_MS + 100 * SECOND_MS;
		window.admit(keyOf(`2001:db8:1:${hex(at)}::1`), nowMs);
	}
	const full = START_MS + 200 * SECOND_MS;
	expect(window.admit(key, full).resetSeconds).toBe(700);
	const other = keyOf("2001:db8:1:99::1");
	expect(window.admit(other, full).resetSeconds).toBe(700);
	expect(window.admit(other, START_MS + WINDOW_MS - 1).admitted).toBe(false);
	expect(window.admit(other, START_MS + WINDOW_MS).admitted).toBe(true);
	expect(window.admit(other, START_MS + WINDOW_MS).admitted).toBe(true);
	const refused = window.admit(other, START_MS + WINDOW_MS);
	expect(refused).toEqual({ admitted: false, remaining: 0, resetSeconds: 900 });
});

test("giving back makes room in all windows", () => {
	const window = windowOf(1, WINDOW_MS, 10_000);
	const fill = addresses(10, (i) => `2001:db8:1:${hex(i + 1)}`);
	expect(admitted(window, fill)).toBe(10);
	const late = ["2001:db8:1:ff::1"];
	expect(admitted(window, late)).toBe(0);
	window.refund(keyOf("2001:db8:1:1::1"), START_MS);
	expect(admitted(window, late)).toBe(1);
	expect(admitted(window, ["2001:db8:1:1::1"])).toBe(0);
});

test("keeps an address at its limit while all other networks of its /48 call", () => {
	const window = windowOf(LIMIT, WINDOW_MS, 1_000);
	const key = keyOf("2001:db8:1:ffff::1");
	window.admit(key, START_MS);
	window.admit(key, START_MS);
	const others = addresses(60_000, (i) => `2001:db8:1:${hex(i)}`);
	expect(admitted(window, others)).toBe(10 * LIMIT - 2);
	expect(window.admit(key, START_MS + 1).admitted).toBe(false);
});

test("admits what a naive count of all networks admits", () => {
	const step = fc.record({
		site: fc.integer({ min: 1, max: 2 }),
		subnet: fc.integer({ min: 0x100, max: 0x110 }),
		passesMs: fc.constantFrom(0, 0, 0, 1, 400, 9_999, 10_000),
	});
	const windowMs = 10 * SECOND_MS;
	fc.assert(
		fc.property(fc.array(step, { minLength: 60, maxLength: 90 }), (history) => {
			const window = windowOf(1, windowMs, 1_000);
			const counted: { site: number; subnet: number; ms: number }[] = [];
			let nowMs = START_MS;
			for (const { site, subnet, passesMs } of history) {
				nowMs += passesMs;
				const ofSite = counted.filter((one) => one.site === site && one.ms > nowMs - windowMs);
				const own = ofSite.filter((one) => one.subnet === subnet);
				const expected = own.length < 1 && ofSite.length < 10;
				const key = keyOf(`2001:db8:${site}:${hex(subnet)}::1`);
				expect(window.admit(key, nowMs).admitted).toBe(expected);
				if (expected) counted.push({ site, subnet, ms: nowMs });
			}
		}),
	);
});
