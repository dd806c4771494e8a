import { describe, expect, test } from "bun:test";
import {
	pickOne,
	pickSome,
	type Random,
	systemRandom,
} from "../../src/lib/random.ts";

const items = ["a", "b", "c", "d", "e"];

/** Always the number of this place, or the last one there is. */
function always(place: number): Random {
	return { ...systemRandom, below: (bound) => Math.min(place, bound - 1) };
}

describe("systemRandom", () => {
	test("gives as many bytes as asked for, and others each time", () => {
		expect(systemRandom.bytes(0)).toHaveLength(0);
		const drawn = Array.from({ length: 100 }, () =>
			systemRandom.bytes(32).toHex(),
		);
		for (const bytes of drawn) expect(bytes).toHaveLength(64);
		expect(new Set(drawn).size).toBe(100);
	});

	test("below reaches every whole number under its bound and no other", () => {
		const drawn = Array.from({ length: 1_000 }, () => systemRandom.below(6));
		expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
		expect(systemRandom.below(1)).toBe(0);
	});
});

describe("uuid", () => {
	const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/;

	test.each([0, 1, Date.UTC(2026, 2, 10, 12), 2 ** 47])(
		"is of version 7 and carries the moment %d",
		(timeMs) => {
			const uuid = systemRandom.uuid(timeMs);
			expect(uuid).toMatch(shape);
			expect(uuid).toHaveLength(36);
			const [high = "", low = ""] = uuid.split("-");
			expect(Number.parseInt(high + low, 16)).toBe(timeMs);
		},
	);

	test("is never the same twice in one millisecond", () => {
		const drawn = Array.from({ length: 10_000 }, () => systemRandom.uuid(7));
		expect(new Set(drawn).size).toBe(10_000);
	});
});

describe("pick", () => {
	test("gives the item at the drawn place", () => {
		expect(items.map((_, place) => pickOne(always(place), items))).toEqual(
			items,
		);
	});

	test("gives every item sooner or later", () => {
		const drawn = Array.from({ length: 1_000 }, () =>
			pickOne(systemRandom, items),
		);
		expect([...new Set(drawn)].sort()).toEqual(items);
	});

	test("has nothing to give from an empty list", () => {
		expect(() => pickOne(systemRandom, [])).toThrow(RangeError);
	});
});

describe("pickSome", () => {
	test.each([0, 1, 4, 5])("gives %d different items of the list", (count) => {
		for (let draw = 0; draw < 100; draw++) {
			const some = pickSome(systemRandom, items, count);
			expect(some).toHaveLength(count);
			expect(new Set(some).size).toBe(count);
			expect(items).toEqual(expect.arrayContaining(some));
		}
	});

	test("is different even when the same place is drawn each time", () => {
		expect(pickSome(always(0), items, 4)).toEqual(["a", "b", "c", "d"]);
		expect(pickSome(always(4), items, 4)).toEqual(["e", "d", "c", "b"]);
	});

	test("gives each item in each place sooner or later", () => {
		const drawn = Array.from({ length: 500 }, () =>
			pickSome(systemRandom, items, 2),
		);
		expect(new Set(drawn.map(String)).size).toBe(5 * 4);
	});

	test("leaves the list as it was", () => {
		const list = [...items];
		pickSome(systemRandom, list, 5);
		expect(list).toEqual(items);
	});
});
