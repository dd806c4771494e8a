import { describe, expect, test } from "bun:test";
import { pickSome, type Random } from "../../src/core/lib/random.ts";

/** Defines the tests that every implementation of `Random` must pass. */
export function testRandom(name: string, random: Random): void {
	describe(name, () => {
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
			const drawn = Array.from({ length: 500 }, () => pickSome(random, ["a", "b", "c", "d", "e"], 2));
			expect(new Set(drawn.map(String)).size).toBe(5 * 4);
		});
	});
}
