import { describe, expect, test } from "bun:test";
import { createApiKey, parseApiKey } from "../../src/lib/credential.ts";
import { MAX_SEED, type Random, seededRandom } from "../../src/lib/random.ts";

const nowMs = Date.UTC(2026, 2, 10, 12);

/** A little of everything. */
function draws(random: Random) {
	return [
		random.bytes(40).toHex(),
		random.below(1_000_000),
		random.uuid(nowMs),
		createApiKey(random).apiKey,
	];
}

describe("seededRandom", () => {
	test.each([0, 1, MAX_SEED])("gives the same for the seed %d", (seed) => {
		expect(draws(seededRandom(seed))).toEqual(draws(seededRandom(seed)));
	});

	test("gives other things for each seed, and other things each time", () => {
		const seen = [0, 1, 2, 10, MAX_SEED].flatMap((seed) => {
			const random = seededRandom(seed);
			return [...draws(random), ...draws(random)];
		});
		expect(new Set(seen).size).toBe(seen.length);
	});

	test("keys have their checksum", () => {
		expect(parseApiKey(createApiKey(seededRandom(7)).apiKey)).not.toBeNull();
	});

	test.each([0, 1, 31, 32, 33, 100])("gives %d bytes", (length) => {
		expect(seededRandom(7).bytes(length)).toHaveLength(length);
	});

	test("bytes take every value about as often", () => {
		const counts = new Map<number, number>();
		for (const byte of seededRandom(7).bytes(256_000)) {
			counts.set(byte, (counts.get(byte) ?? 0) + 1);
		}
		expect(counts.size).toBe(256);
		expect(Math.min(...counts.values())).toBeGreaterThan(800);
		expect(Math.max(...counts.values())).toBeLessThan(1_200);
	});

	test("below reaches every whole number under its bound and no other", () => {
		const random = seededRandom(7);
		const drawn = Array.from({ length: 1_000 }, () => random.below(6));
		expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
		expect(random.below(1)).toBe(0);
	});
});

describe("mark", () => {
	test.each([0, 1, 32, 40])(
		"brings back what was drawn after %d bytes",
		(length) => {
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
		},
	);
});

describe("uuid of a seed", () => {
	const shape =
		/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

	test.each([0, 1, nowMs, 2 ** 47])(
		"is of version 7, and the same whatever the moment (%d)",
		(timeMs) => {
			const uuid = seededRandom(7).uuid(timeMs);
			expect(uuid).toMatch(shape);
			expect(uuid).toBe(seededRandom(7).uuid(nowMs));
		},
	);

	test.each([0, 7, MAX_SEED])("ascends (seed %d)", (seed) => {
		const random = seededRandom(seed);
		const drawn = Array.from({ length: 10_000 }, () => random.uuid(nowMs));
		expect(new Set(drawn).size).toBe(10_000);
		expect(drawn).toEqual(drawn.toSorted());
	});
});
