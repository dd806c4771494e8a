import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../src/core/lib/clock.ts";
import { recounts } from "../support/recounts.ts";
import { TestResort } from "../support/resort.ts";
import type { Rules } from "./model.ts";
import { SeededRandom } from "./random.ts";
import { REPLAYED, STEPS, Walk } from "./walk.ts";

const MAX_MS = 60_000 + STEPS * 20;

const usual: Rules = { maxStayMs: 0 };
const short: Rules = { maxStayMs: 6 * HOUR_MS };

const byDefault: readonly (readonly [Rules, seed: number])[] = [
	[usual, 2],
	[usual, 12],
	[usual, Date.now() % 2 ** 32],
	[short, 18],
];

const walks =
	REPLAYED === undefined ? byDefault : [usual, short].map((rules) => [rules, Number(REPLAYED)] as const);

describe("a random walk through the operations", () => {
	test.each(walks)(
		"gets the responses that the model expects (settings %j, seed %d)",
		async (rules, seed) => {
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
