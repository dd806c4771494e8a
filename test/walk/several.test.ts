import { test } from "bun:test";
import { HOUR_MS } from "../../src/core/lib/clock.ts";
import { Houses } from "../features/postgres/support/houses.ts";
import { describeOnPostgres } from "../support/requirements.ts";
import type { Ledger } from "./events.ts";
import type { Rules } from "./model.ts";
import { SeededRandom } from "./random.ts";
import { type Ground, Walk } from "./walk.ts";

const STEPS = Number(process.env.WALK_STEPS ?? 1_500);
/** The number of steps after which events are compared and an instance is restarted. */
const STRETCH = 300;
const REPLAYED = process.env.WALK_SEED;
const SEED = REPLAYED === undefined ? Date.now() % 2 ** 32 : Number(REPLAYED);
const MAX_MS = 60_000 + STEPS * 40;

const rules: Rules = { maxStayMs: 6 * HOUR_MS };

async function walk(seed: number): Promise<void> {
	await using houses = await Houses.open({ setup: { ...rules, random: new SeededRandom(~seed) } });
	const dice = new SeededRandom(seed ^ 0x5eed);
	const choose = () => dice.below(houses.all.length);
	const ground: Ground & Ledger = {
		get nowMs() {
			return houses.nowMs;
		},
		advance: (durationMs) => houses.advance(durationMs),
		call: (...call) => houses.at(choose()).call(...call),
		host: (...call) => houses.at(choose()).host(...call),
		sweep: () => houses.sweep(),
		rows: (text) => houses.rows(text),
	};
	const walk = new Walk({ ...rules, seed });
	while (walk.steps < STEPS) {
		await walk.run(ground, Math.min(STRETCH, STEPS - walk.steps));
		await walk.compareEvents(ground);
		await houses.restart(choose());
	}
}

describeOnPostgres("three instances of one database", () => {
	test(`return what the model expects, with seed ${SEED}`, () => walk(SEED), MAX_MS);
});
