import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../src/core/lib/clock.ts";
import { recounts } from "../support/recounts.ts";
import { TestResort } from "../support/resort.ts";
import type { Rules } from "./model.ts";
import { SeededRandom } from "./random.ts";
import { REPLAYED, STEPS, Walk } from "./walk.ts";

const MAX_MS = 60_000 + STEPS * 20;

const usual = ["unlimited stays", { maxStayMs: 0 }] as const;
const short = ["stays of at most 6 hours", { maxStayMs: 6 * HOUR_MS }] as const;

const byDefault: readonly (readonly [seed: number, stays: string, rules: Rules])[] = [
	[2, ...usual],
	[12, ...usual],
	[Date.now() % 2 ** 32, ...usual],
	[18, ...short],
];

const walks =
	REPLAYED === undefined ? byDefault : [usual, short].map((stays) => [Number(REPLAYED), ...stays] as const);

describe("a random walk through the operations", () => {
	test.each(walks)(
		"gets the responses that a model of the service expects (seed %d, %s)",
		async (seed, _, rules) => {
			const random = new SeededRandom(~seed);
			await using resort = new TestResort({ ...rules, random });
			await new Walk({ ...rules, seed }).run(resort);
			for (const [what, query] of Object.entries(recounts)) {
				expect(await resort.rows(query), what).toEqual([]);
			}
		},
		MAX_MS,
	);
});
