import { expect, test } from "bun:test";
import { HashIndex, hashOf } from "../../src/answers/hash-index.ts";
import { seededRandom } from "../../src/lib/seeded-random.ts";

/** All places of a hash, in ascending order. */
function placesOf(index: HashIndex, hash: number): number[] {
	const places: number[] = [];
	for (let slot = index.first(hash); slot >= 0; slot = index.next(slot, hash)) {
		places.push(index.placeAt(slot));
	}
	return places.sort((a, b) => a - b);
}

test.each([
	["few hashes, many places of each", 20],
	["hashes that stand side by side", 3_000],
	["hashes at both ends", 0],
])("an index holds what a map would hold: %s", (_, hashes) => {
	const { below: draw } = seededRandom(7);
	const index = new HashIndex();
	const model = new Map<number, Set<number>>();
	let size = 0;
	for (let place = 1; place <= 30_000; place++) {
		const hash = hashes === 0 ? (draw(4_000) - 2_000) >>> 0 : draw(hashes);
		const places = model.get(hash) ?? new Set();
		model.set(hash, places);
		const [held] = places;
		if (held !== undefined && draw(10) < 4) {
			index.remove(index.slotOf(hash, held));
			places.delete(held);
			size--;
		} else if (held !== undefined && draw(10) < 2) {
			index.moveTo(index.slotOf(hash, held), place);
			places.delete(held);
			places.add(place);
		} else {
			index.add(hash, place);
			places.add(place);
			size++;
		}
	}
	expect(index.size).toBe(size);
	for (const [hash, places] of model) {
		expect(placesOf(index, hash)).toEqual([...places].sort((a, b) => a - b));
	}
	expect(placesOf(index, 5_000)).toEqual([]);
});

test("an index tells that a place is not in it", () => {
	const index = new HashIndex();
	index.add(5, 1);
	expect(() => index.slotOf(5, 2)).toThrow(RangeError);
	expect(() => index.slotOf(6, 1)).toThrow(RangeError);
});

test("a hash is that of FNV-1a, mixed", () => {
	// 32-bit test vectors of the algorithm's authors: "" and "foobar".
	const mixed = (hash: number) => (hash ^ (hash >>> 15)) >>> 0;
	expect(hashOf("")).toBe(mixed(0x811c9dc5));
	expect(hashOf("foobar")).toBe(mixed(0xbf9cf968));
});
