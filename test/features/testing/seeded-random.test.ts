import { describe, expect, test } from "bun:test";
import { createApiKey } from "../../../src/core/lib/credential.ts";
import type { Random } from "../../../src/core/lib/random.ts";
import { MAX_SEED, seededRandom } from "../../../src/features/testing/seeded-random.ts";
import { testRandom } from "../../support/random-tests.ts";
import { UUID_V7 } from "../../support/values.ts";

const nowMs = Date.UTC(2026, 2, 10, 12);

/** Draws one value of each kind. */
function draws(random: Random) {
	return [random.bytes(40).toHex(), random.below(1_000_000), random.uuid(nowMs), createApiKey(random).apiKey];
}

testRandom("seededRandom", seededRandom(7));

describe("seededRandom", () => {
	test("draws the same values in every version, whatever the time is", () => {
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

	test("draws ascending UUIDs", () => {
		const random = seededRandom(MAX_SEED);
		const drawn = Array.from({ length: 10_000 }, () => random.uuid(nowMs));
		expect(drawn).toEqual(drawn.toSorted());
		for (const uuid of drawn) expect(uuid).toMatch(UUID_V7);
	});

	test.each([0, 1, 32, 40])(
		"can be rewound repeatedly to its position after %d bytes and a UUID",
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
