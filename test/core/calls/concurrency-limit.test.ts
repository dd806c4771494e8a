import { describe, expect, test } from "bun:test";
import { ConcurrencyLimit } from "../../../src/core/calls/concurrency-limit.ts";
import { ResortError } from "../../../src/core/lib/resort-error.ts";

/**
 * Opens streams until one is refused, at most 10,001. Returns the number of open streams, and the code and
 * hint of the refusal.
 */
function openAll(limit: ConcurrencyLimit, addressOf: (at: number) => string) {
	for (let count = 0; count <= 10_000; count++) {
		try {
			limit.acquire("stream", addressOf(count));
		} catch (error) {
			if (!(error instanceof ResortError)) throw error;
			expect(error.details.retryAfterSeconds).toBe(5);
			return { count, code: error.code, hint: error.details.hint };
		}
	}
	return null;
}

describe("ConcurrencyLimit", () => {
	test.each([
		[30, "an IPv4 address", () => "198.51.100.7"],
		[30, "an IPv6 /64 network", () => "2001:db8:0:0::/64"],
		[300, "all /64 networks in one IPv6 /48", (at: number) => `2001:db8:0:${at.toString(16)}::/64`],
	])("refuses more than %d streams and waiting calls from %s", (most, _, addressOf) => {
		const limit = new ConcurrencyLimit(true);
		const release = limit.acquire("call", addressOf(most));
		expect(openAll(limit, addressOf)).toEqual({
			count: most - 1,
			code: "rate_limited",
			hint: expect.stringMatching(/^An address may have 30 at a time \(300 for an IPv6 \/48\): GET/),
		});
		limit.acquire("call", "2001:db8:1:0::/64");
		expect(limit.open).toEqual({ stream: most - 1, call: 2 });
		release();
		expect(limit.open).toEqual({ stream: most - 1, call: 1 });
		expect(openAll(limit, addressOf)?.count).toBe(1);
	});

	test.each([
		["enabled", true],
		["disabled", false],
	])("refuses more than 10,000 streams and waiting calls in total if rate limits are %s", (_, isLimited) => {
		const addressOf = (at: number) => (isLimited ? `address ${Math.floor(at / 30)}` : "198.51.100.7");
		expect(openAll(new ConcurrencyLimit(isLimited), addressOf)).toEqual({
			count: 10_000,
			code: "unavailable",
			hint: "The instance allows 10000 at a time; for now, call without wait.",
		});
	});
});
