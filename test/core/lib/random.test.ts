import { expect, test } from "bun:test";
import { pickOne, pickSome, type Random, systemRandom } from "../../../src/core/lib/random.ts";
import { UUID_V7 } from "../../support/values.ts";

const items = ["a", "b", "c", "d", "e"];

/** Returns a generator that always draws `place`, or the highest allowed number if `place` is above it. */
function always(place: number): Random {
	return { ...systemRandom, below: (bound) => Math.min(place, bound - 1) };
}

test("systemRandom.below draws every whole number from 0 to the bound minus 1, and no other", () => {
	const drawn = Array.from({ length: 1_000 }, () => systemRandom.below(6));
	expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

test.each([0, 2 ** 47])("systemRandom.uuid(%d) is a UUID v7 with this number as its time", (timeMs) => {
	const uuid = systemRandom.uuid(timeMs);
	expect(uuid).toMatch(UUID_V7);
	expect(Number.parseInt(uuid.slice(0, 13).replace("-", ""), 16)).toBe(timeMs);
});

test("pickOne returns the item at the drawn index, and refuses an empty list", () => {
	expect(items.map((_, place) => pickOne(always(place), items))).toEqual(items);
	expect(() => pickOne(systemRandom, [])).toThrow(RangeError);
});

test("pickSome returns different items even if the same index is drawn each time, and does not change the list", () => {
	const list = [...items];
	expect(pickSome(always(0), list, 4)).toEqual(["a", "b", "c", "d"]);
	expect(pickSome(always(4), list, 4)).toEqual(["e", "d", "c", "b"]);
	expect(pickSome(systemRandom, list, 0)).toEqual([]);
	expect(list).toEqual(items);
});
