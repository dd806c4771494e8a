import { describe, expect, test } from "bun:test";
import { ResortError } from "../../src/lib/resort-error.ts";
import { ConcurrencyLimit } from "../../src/pipeline/concurrency-limit.ts";

const from = (address: string) => ({ address: () => address });

/** Takes a slot; returns the code and the hint of a refusal. */
function take(limit: ConcurrencyLimit, address: string, isKnown = false) {
	try {
		limit.acquire("call", from(address), isKnown);
		return "taken";
	} catch (error) {
		if (!(error instanceof ResortError)) throw error;
		expect(error.details.retryAfterSeconds).toBe(5);
		return `${error.code}: ${error.details.hint}`;
	}
}

/** Takes so many slots, each of which must be free. */
function takeAll(
	limit: ConcurrencyLimit,
	count: number,
	addressOf: (at: number) => string,
	isKnown?: boolean,
): void {
	for (let at = 0; at < count; at++) {
		expect(take(limit, addressOf(at), isKnown)).toBe("taken");
	}
}

const hex = (number: number) => number.toString(16);

describe("ConcurrencyLimit", () => {
	test.each([
		["an IPv4 address", 30, () => "198.51.100.7"],
		["a /64", 30, () => "2001:db8:0:0::/64"],
		["a /56", 120, (at: number) => `2001:db8:0:${hex(at % 256)}::/64`],
		["a /48", 300, (at: number) => `2001:db8:0:${hex(at * 64)}::/64`],
	])("%s has %d", (_, most, addressOf) => {
		const limit = new ConcurrencyLimit(true);
		takeAll(limit, most - 1, addressOf);
		const release = limit.acquire("call", from(addressOf(most)), false);
		const refused = /^rate_limited: .* 30 at a time \(120 for an IPv6 \/56, 300 for a \/48\)/;
		expect(take(limit, addressOf(0))).toMatch(refused);
		expect(take(limit, addressOf(0), true)).toMatch(refused);
		expect(take(limit, "2001:db8:1:0::/64")).toBe("taken");
		release();
		release();
		expect(take(limit, addressOf(most))).toBe("taken");
		expect(take(limit, addressOf(0))).toMatch(refused);
	});

	test("has no bound for a network without limits", () => {
		takeAll(new ConcurrencyLimit(false), 31, () => "198.51.100.7");
	});

	test.each([true, false])(
		"has 10,000 in all, the last 2,000 for callers with a credential, limits %p",
		(isLimited) => {
			const limit = new ConcurrencyLimit(isLimited);
			const addressOf = (at: number) => `198.51.100.${Math.floor(at / 30)}`;
			takeAll(limit, 7_999, addressOf);
			expect(limit.isReserved).toBe(false);
			const release = limit.acquire("stream", from("stranger"), false);
			expect(limit.isReserved).toBe(true);
			expect(take(limit, "another")).toMatch(/^unavailable: .* with a credential: send an API key/);
			takeAll(limit, 2_000, (at) => `known${addressOf(at)}`, true);
			const full = /^unavailable: The instance allows 10000/;
			expect(take(limit, "another", true)).toMatch(full);
			expect(limit.open).toEqual({ stream: 1, call: 9_999 });
			release();
			expect(take(limit, "another")).toMatch(/^unavailable: .* left are for callers/);
			takeAll(limit, 1, () => "another", true);
			expect(take(limit, "another", true)).toMatch(full);
		},
	);

	test("counts streams and calls apart, and remembers nothing of who has none", () => {
		const limit = new ConcurrencyLimit(true);
		const ends = [limit.acquire("stream", from("a"), false), limit.acquire("call", from("b"), true)];
		expect(limit.open).toEqual({ stream: 1, call: 1 });
		for (const end of ends) end();
		expect(limit.open).toEqual({ stream: 0, call: 0 });
	});
});
