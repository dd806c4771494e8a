import { test } from "bun:test";
import { HOUR_MS } from "../../src/core/lib/clock.ts";
import { Houses } from "../features/postgres/support/houses.ts";
import { describeOnPostgres } from "../support/requirements.ts";
import type { Rules } from "./model.ts";
import { SeededRandom } from "./random.ts";
import { type Ground, REPLAYED, STEPS, Walk } from "./walk.ts";

const SEED = Number(REPLAYED ?? Date.now() % 2 ** 32);
const MAX_MS = 60_000 + STEPS * 40;

const rules: Rules = { maxStayMs: 6 * HOUR_MS };

/** Makes each call of a walk at a random instance, and sometimes restarts an instance. */
async function walk(seed: number): Promise<void> {
	await using houses = await Houses.open({ setup: { ...rules, random: new SeededRandom(~seed) } });
	const dice = new SeededRandom(seed ^ 0x5eed);
	const choose = () => dice.below(houses.all.length);
	const ground: Ground = {
		get nowMs() {
			return houses.nowMs;
		},
		advance: (durationMs) => houses.advance(durationMs),
		call: (...call) => houses.at(choose()).call(...call),
		host: (...call) => houses.at(choose()).host(...call),
		sweep: () => houses.sweep(),
		rows: (text) => houses.rows(text),
	};
	await new Walk({ ...rules, seed }).run(ground, () => houses.restart(choose()));
}

describeOnPostgres("three instances that share a database", () => {
	test(`give the responses that a model expects (random walk, seed ${SEED})`, () => walk(SEED), MAX_MS);
});
