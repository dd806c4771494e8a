import { describe, expect, test } from "bun:test";
import { createApiKey } from "../../../src/core/lib/credential.ts";
import {
	MAX_SEED,
	pickOne,
	pickSome,
	type Random,
	seededRandom,
	systemRandom,
} from "../../../src/core/lib/random.ts";

const nowMs = Date.UTC(2026, 2, 10, 12);
const items = ["a", "b", "c", "d", "e"];
const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Returns a generator that always draws the number `place`, or the highest possible number if that is lower.
 */
function always(place: number): Random {
	return { ...systemRandom, below: (bound) => Math.min(place, bound - 1) };
}

/** Draws one value of each kind. */
function draws(random: Random) {
	return [random.bytes(40).toHex(), random.below(1_000_000), random.uuid(nowMs), createApiKey(random).apiKey];
}

describe.each([
	["systemRandom", systemRandom],
	["seededRandom", seededRandom(7)],
])("%s", (_, random) => {
	test("draws all bytes with about equal probability", () => {
		for (const length of [0, 1, 31, 32, 33]) expect(random.bytes(length)).toHaveLength(length);
		const counts = new Map<number, number>();
		for (let draw = 0; draw < 8; draw++) {
			for (const byte of random.bytes(32_000)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
		}
		expect(counts.size).toBe(256);
		expect(Math.min(...counts.values())).toBeGreaterThan(800);
		expect(Math.max(...counts.values())).toBeLessThan(1_200);
	});

	test("draws every whole number below the bound, and no other", () => {
		const drawn = Array.from({ length: 1_000 }, () => random.below(6));
		expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
		expect(random.below(1)).toBe(0);
	});

	test("draws no UUID twice in one millisecond", () => {
		const drawn = Array.from({ length: 10_000 }, () => random.uuid(7));
		expect(new Set(drawn).size).toBe(10_000);
	});

	test("lets pickSome return each item at each place", () => {
		const drawn = Array.from({ length: 500 }, () => pickSome(random, items, 2));
		expect(new Set(drawn.map(String)).size).toBe(5 * 4);
	});
});

test.each([0, 1, nowMs, 2 ** 47])("a UUID of version 7 contains the time %d", (timeMs) => {
	const uuid = systemRandom.uuid(timeMs);
	expect(uuid).toMatch(shape);
	expect(Number.parseInt(uuid.slice(0, 13).replace("-", ""), 16)).toBe(timeMs);
});

test("pickOne returns the item at the drawn place, and refuses an empty list", () => {
	expect(items.map((_, place) => pickOne(always(place), items))).toEqual(items);
	expect(() => pickOne(systemRandom, [])).toThrow(RangeError);
});

test("pickSome returns different items even if the same place is drawn each time, and does not change the list", () => {
	const list = [...items];
	expect(pickSome(always(0), list, 4)).toEqual(["a", "b", "c", "d"]);
	expect(pickSome(always(4), list, 4)).toEqual(["e", "d", "c", "b"]);
	expect(pickSome(systemRandom, list, 0)).toEqual([]);
	expect(list).toEqual(items);
});

describe("seededRandom", () => {
	test("draws the same values in every version, whatever the time is", () => {
		const random = seededRandom(7);
		expect(random.bytes(3).toHex()).toBe("f5ff61");
		expect(random.uuid(nowMs)).toBe("019b76da-a800-7d7b-8533-cd7371f120b7");
		expect(random.below(1_000_000)).toBe(295_794);
		expect(createApiKey(random).keyId).toBe("tGqYfd26lF4T");
		expect(seededRandom(7).uuid(1)).toBe(seededRandom(7).uuid(nowMs));
	});

	test("draws other values for each seed and at each call", () => {
		const seen = [0, 1, 2, 10, MAX_SEED].flatMap((seed) => {
			const random = seededRandom(seed);
			return [...draws(random), ...draws(random)];
		});
		expect(new Set(seen).size).toBe(seen.length);
	});

	test("draws ascending UUIDs", () => {
		const random = seededRandom(MAX_SEED);
		const drawn = Array.from({ length: 10_000 }, () => random.uuid(nowMs));
		expect(drawn).toEqual(drawn.toSorted());
		for (const uuid of drawn) expect(uuid).toMatch(shape);
	});

	test.each([0, 1, 32, 40])("returns repeatedly to a mark after %d bytes", (length) => {
		const random = seededRandom(7);
		random.bytes(length);
		random.uuid(nowMs);
		const rewind = random.mark();
		const first = draws(random);
		for (let again = 0; again < 2; again++) {
			rewind();
			expect(draws(random)).toEqual(first);
		}
		expect(draws(random)).not.toEqual(first);
	});
});
