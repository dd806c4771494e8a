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

/** Always the number of this place, or the last one there is. */
function always(place: number): Random {
	return { ...systemRandom, below: (bound) => Math.min(place, bound - 1) };
}

/** A little of everything. */
function draws(random: Random) {
	return [random.bytes(40).toHex(), random.below(1_000_000), random.uuid(nowMs), createApiKey(random).apiKey];
}

describe.each([
	["of the system", systemRandom],
	["of a seed", seededRandom(7)],
])("random values %s", (_, random) => {
	test.each([0, 1, 31, 32, 33, 100])("%d bytes", (length) => {
		expect(random.bytes(length)).toHaveLength(length);
	});

	test("bytes take every value about as often", () => {
		const counts = new Map<number, number>();
		for (let draw = 0; draw < 8; draw++) {
			for (const byte of random.bytes(32_000)) {
				counts.set(byte, (counts.get(byte) ?? 0) + 1);
			}
		}
		expect(counts.size).toBe(256);
		expect(Math.min(...counts.values())).toBeGreaterThan(800);
		expect(Math.max(...counts.values())).toBeLessThan(1_200);
	});

	test("below reaches every whole number under its bound and no other", () => {
		const drawn = Array.from({ length: 1_000 }, () => random.below(6));
		expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
		expect(random.below(1)).toBe(0);
	});

	test("no UUID is drawn twice, even in one millisecond", () => {
		const drawn = Array.from({ length: 10_000 }, () => random.uuid(7));
		expect(new Set(drawn).size).toBe(10_000);
	});

	test("pickSome picks each item in each place sooner or later", () => {
		const drawn = Array.from({ length: 500 }, () => pickSome(random, items, 2));
		expect(new Set(drawn.map(String)).size).toBe(5 * 4);
	});
});

test.each([0, 1, nowMs, 2 ** 47])(
	"a UUID of the moment %d is of version 7: the system's carries it, a seed's does not depend on it",
	(timeMs) => {
		const uuid = systemRandom.uuid(timeMs);
		expect(uuid).toMatch(shape);
		const [high = "", low = ""] = uuid.split("-");
		expect(Number.parseInt(high + low, 16)).toBe(timeMs);
		const seeded = seededRandom(7).uuid(timeMs);
		expect(seeded).toMatch(shape);
		expect(seeded).toBe(seededRandom(7).uuid(nowMs));
	},
);

describe("pickOne", () => {
	test("returns the item at the drawn place", () => {
		const picked = items.map((_, place) => pickOne(always(place), items));
		expect(picked).toEqual(items);
	});

	test("refuses an empty list", () => {
		expect(() => pickOne(systemRandom, [])).toThrow(RangeError);
	});
});

test("pickSome returns different items even if the same place is drawn each time, and leaves the list alone", () => {
	const list = [...items];
	expect(pickSome(always(0), list, 4)).toEqual(["a", "b", "c", "d"]);
	expect(pickSome(always(4), list, 4)).toEqual(["e", "d", "c", "b"]);
	expect(pickSome(systemRandom, list, 5).toSorted()).toEqual(items);
	expect(pickSome(systemRandom, list, 0)).toEqual([]);
	expect(list).toEqual(items);
});

describe("seededRandom", () => {
	test.each([0, 1, MAX_SEED])("draws the same for the seed %d", (seed) => {
		expect(draws(seededRandom(seed))).toEqual(draws(seededRandom(seed)));
	});

	test("draws the same values in every version", () => {
		const random = seededRandom(7);
		expect(random.bytes(3).toHex()).toBe("f5ff61");
		expect(random.uuid(nowMs)).toBe("019b76da-a800-7d7b-8533-cd7371f120b7");
		expect(random.below(1_000_000)).toBe(295_794);
		expect(createApiKey(random).keyId).toBe("tGqYfd26lF4T");
	});

	test("draws other values for each seed, and each time", () => {
		const seen = [0, 1, 2, 10, MAX_SEED].flatMap((seed) => {
			const random = seededRandom(seed);
			return [...draws(random), ...draws(random)];
		});
		expect(new Set(seen).size).toBe(seen.length);
	});

	test.each([0, 7, MAX_SEED])("draws ascending UUIDs (seed %d)", (seed) => {
		const random = seededRandom(seed);
		const drawn = Array.from({ length: 10_000 }, () => random.uuid(nowMs));
		expect(drawn).toEqual(drawn.toSorted());
	});

	test.each([0, 1, 32, 40])("returns to a mark after %d bytes", (length) => {
		const random = seededRandom(7);
		random.bytes(length);
		random.uuid(nowMs);
		const bringBack = random.mark();
		const first = draws(random);
		for (let again = 0; again < 2; again++) {
			bringBack();
			expect(draws(random)).toEqual(first);
		}
		expect(draws(random)).not.toEqual(first);
	});
});
