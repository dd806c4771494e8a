import { describe, expect, test } from "bun:test";
import { ResortError } from "../../src/lib/resort-error.ts";
import { ConcurrencyLimit } from "../../src/pipeline/concurrency-limit.ts";

/** Takes a slot, or returns what was thrown. */
function take(
	limit: ConcurrencyLimit,
	address: string,
): (() => void) | ResortError {
	try {
		return limit.acquire("call", address);
	} catch (error) {
		if (error instanceof ResortError) return error;
		throw error;
	}
}

const codeOf = (taken: ReturnType<typeof take>) =>
	taken instanceof ResortError ? taken.code : "taken";

const addressOf = (number: number) => `198.51.100.${number}`;

describe("ConcurrencyLimit", () => {
	test("has 30 for an address", () => {
		const limit = new ConcurrencyLimit(true);
		const taken = Array.from({ length: 30 }, () => take(limit, "a"));
		expect(taken.map(codeOf)).toEqual(Array(30).fill("taken"));
		expect(codeOf(take(limit, "a"))).toBe("rate_limited");
		expect(codeOf(take(limit, "b"))).toBe("taken");
		const [first] = taken;
		if (typeof first === "function") {
			first();
			first();
		}
		expect(codeOf(take(limit, "a"))).toBe("taken");
		expect(codeOf(take(limit, "a"))).toBe("rate_limited");
	});

	test("has no bound for an address without limits", () => {
		const limit = new ConcurrencyLimit(false);
		const taken = Array.from({ length: 31 }, () => take(limit, "a"));
		expect(taken.map(codeOf)).toEqual(Array(31).fill("taken"));
	});

	test.each([true, false])("has 10,000 in all, limits %p", (isLimited) => {
		const limit = new ConcurrencyLimit(isLimited);
		for (let number = 0; number < 10_000; number++) {
			expect(codeOf(take(limit, addressOf(Math.floor(number / 30))))).toBe(
				"taken",
			);
		}
		const refused = take(limit, "another");
		expect(codeOf(refused)).toBe("unavailable");
		expect(refused).toMatchObject({ details: { retryAfterSeconds: 5 } });
		expect(limit.open).toEqual({ stream: 0, call: 10_000 });
	});

	test("counts streams and calls apart, and remembers nothing of who has none", () => {
		const limit = new ConcurrencyLimit(true);
		const ends = [limit.acquire("stream", "a"), limit.acquire("call", "b")];
		expect(limit.open).toEqual({ stream: 1, call: 1 });
		for (const end of ends) end();
		expect(limit.open).toEqual({ stream: 0, call: 0 });
	});
});
