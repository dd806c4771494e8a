import { describe, expect, test } from "bun:test";
import { createApiKey } from "../../../src/core/lib/credential.ts";
import { pickSome, type Random } from "../../../src/core/lib/random.ts";
import { MAX_SEED, seededRandom } from "../../../src/features/testing/seeded-random.ts";
import { UUID_V7 } from "../../support/values.ts";

const nowMs = Date.UTC(2026, 2, 10, 12);

/** Draws bytes, a number, a UUID and an API key. */
function draws(random: Random) {
	return [random.bytes(40).toHex(), random.below(1_000_000), random.uuid(nowMs), createApiKey(random).apiKey];
}

describe("seededRandom", () => {
	test("draws all bytes with about equal probability", () => {
		const random = seededRandom(7);
		for (const length of [0, 1, 31, 32, 33]) expect(random.bytes(length)).toHaveLength(length);
		const counts = new Map<number, number>();
		for (const byte of random.bytes(256_000)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
		expect(counts.size).toBe(256);
		expect(Math.min(...counts.values())).toBeGreaterThan(800);
		expect(Math.max(...counts.values())).toBeLessThan(1_200);
	});

	test("draws every whole number below the bound, and no other", () => {
		const random = seededRandom(7);
		const drawn = Array.from({ length: 1_000 }, () => random.below(6));
		expect([...new Set(drawn)].sort()).toEqual([0, 1, 2, 3, 4, 5]);
	});

	test("lets `pickSome` draw each of the 20 ordered pairs of five items", () => {
		const random = seededRandom(7);
		const drawn = Array.from({ length: 500 }, () => pickSome(random, ["a", "b", "c", "d", "e"], 2));
		expect(new Set(drawn.map(String)).size).toBe(5 * 4);
	});

	test("draws the same values for a seed in every version of the resort, and at any time", () => {
		const random = seededRandom(7);
		expect(random.bytes(3).toHex()).toBe("f5ff61");
		expect(random.uuid(nowMs)).toBe("019b76da-a800-7d7b-8533-cd7371f120b7");
		expect(random.below(1_000_000)).toBe(295_794);
		expect(createApiKey(random).keyId).toBe("tGqYfd26lF4T");
		expect(seededRandom(7).uuid(1)).toBe(seededRandom(7).uuid(nowMs));
	});

	test("draws different values for each seed and at each call", () => {
		const seen = [0, 1, 2, 10, MAX_SEED].flatMap((seed) => {
			const random = seededRandom(seed);
			return [...draws(random), ...draws(random)];
		});
		expect(new Set(seen).size).toBe(seen.length);
	});

	test("draws ascending UUIDs, and none twice", () => {
		const random = seededRandom(MAX_SEED);
		const drawn = Array.from({ length: 5_000 }, () => random.uuid(nowMs));
		expect(drawn).toEqual([...new Set(drawn)].sort());
		for (const uuid of drawn) expect(uuid).toMatch(UUID_V7);
	});

	test.each([0, 1, 32, 40])(
		"draws the same values after each rewind to a mark that was set after bytes(%d) and uuid()",
		(length) => {
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
		},
	);
});
