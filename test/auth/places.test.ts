import { describe, expect, test } from "bun:test";
import { Places } from "../../src/auth/places.ts";
import { ResortError } from "../../src/lib/resort-error.ts";

/** Takes a place; what was thrown where there was none. */
function take(places: Places, address: string): (() => void) | ResortError {
	try {
		return places.take("call", address);
	} catch (error) {
		if (error instanceof ResortError) return error;
		throw error;
	}
}

const codeOf = (taken: ReturnType<typeof take>) =>
	taken instanceof ResortError ? taken.code : "taken";

const addressOf = (number: number) => `198.51.100.${number}`;

describe("Places", () => {
	test("has 30 for an address", () => {
		const places = new Places(true);
		const taken = Array.from({ length: 30 }, () => take(places, "a"));
		expect(taken.map(codeOf)).toEqual(Array(30).fill("taken"));
		expect(codeOf(take(places, "a"))).toBe("rate_limited");
		expect(codeOf(take(places, "b"))).toBe("taken");
		const [first] = taken;
		if (typeof first === "function") {
			first();
			first();
		}
		expect(codeOf(take(places, "a"))).toBe("taken");
		expect(codeOf(take(places, "a"))).toBe("rate_limited");
	});

	test.each([true, false])("has 10,000 in all, limits %p", (isLimited) => {
		const places = new Places(isLimited);
		for (let number = 0; number < 10_000; number++) {
			expect(codeOf(take(places, addressOf(Math.floor(number / 30))))).toBe(
				"taken",
			);
		}
		const refused = take(places, "another");
		expect(codeOf(refused)).toBe("unavailable");
		expect(refused).toMatchObject({ details: { retryAfterSeconds: 5 } });
		expect(places.taken).toEqual({ stream: 0, call: 10_000 });
	});

	test("counts streams and calls apart, and remembers nothing of who has none", () => {
		const places = new Places(true);
		const ends = [places.take("stream", "a"), places.take("call", "b")];
		expect(places.taken).toEqual({ stream: 1, call: 1 });
		for (const end of ends) end();
		expect(places.taken).toEqual({ stream: 0, call: 0 });
	});
});
