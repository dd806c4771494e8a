import { join } from "node:path";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { temporaryFolder } from "../support/executable.ts";
import { TestResort } from "../support/resort.ts";
import type { Fate } from "../walk/cut-off.ts";
import type { Rules } from "../walk/model.ts";
import { SeededRandom } from "../walk/random.ts";
import { Walk } from "../walk/walk.ts";
import { counted } from "./figures.ts";
import type { Part } from "./part.ts";
import { Killable } from "./walk-ground.ts";

const ROUND = 5_000;
/** Steps between two restarts. */
const MAX_STRETCH = 300;
const MAX_CLOSED_MS = 12 * HOUR_MS;

const usual: Rules = { rateLimits: false, maxStayMs: 0 };
const all: readonly [Rules, ...Rules[]] = [
	usual,
	{ ...usual, rateLimits: true },
	{ ...usual, maxStayMs: 6 * HOUR_MS },
];

/** What a walk has made. */
interface Walked {
	steps: number;
	restarts: number;
	readonly fates: Record<Fate, number>;
}

/** Walks through the application as `test/walk` does, on a file, with restarts or kills in between. */
export const walk: Part = {
	name: "walk",
	about: `a model foretells every answer, through restarts, kills and jumps of the clock; a round is ${counted(ROUND)} steps`,
	async run({ seed, goesOn }) {
		const walked: Walked = {
			steps: 0,
			restarts: 0,
			fates: { answered: 0, undone: 0, done: 0 },
		};
		const failures: string[] = [];
		for (let done = 0; failures.length === 0 && goesOn(done); done++) {
			const rules = all[(done >> 1) % all.length] ?? usual;
			const walkOn = done % 2 === 0 ? withRestarts : withKills;
			const roundSeed = (seed + done) % 2 ** 32;
			await walkOn(rules, roundSeed, walked).catch((error) => {
				failures.push(`with --seed ${seed}, in round ${done}: ${error}`);
			});
		}
		const { fates } = walked;
		return {
			figures: [
				["steps, each answer compared", counted(walked.steps)],
				["closed and opened again", counted(walked.restarts)],
				["killed at a write that was acknowledged", counted(fates.answered)],
				["killed before, and done as a whole", counted(fates.done)],
				["killed before, and not done", counted(fates.undone)],
			],
			failures,
		};
	},
};

/** Closes the resort and opens it again some time later, again and again. */
async function withRestarts(
	rules: Rules,
	seed: number,
	walked: Walked,
): Promise<void> {
	using folder = temporaryFolder();
	const database = join(folder.path, "resort.sqlite");
	const dice = new SeededRandom(~seed);
	const walk = new Walk({ ...rules, seed });
	const setup = { ...rules, database, random: dice };
	let resort = new TestResort(setup);
	while (walk.steps < ROUND) {
		const before = walk.steps;
		await walk.run(resort, stretch(dice, walk));
		walked.steps += walk.steps - before;
		const nowMs = resort.nowMs + dice.below(MAX_CLOSED_MS);
		await resort.close();
		resort = new TestResort({ ...setup, nowMs });
		walk.restarted();
		walked.restarts++;
	}
	await resort.close();
}

/** Kills the resort in the middle of a write, again and again. */
async function withKills(
	rules: Rules,
	seed: number,
	walked: Walked,
): Promise<void> {
	using folder = temporaryFolder();
	const dice = new SeededRandom(~seed);
	const walk = new Walk({ ...rules, seed });
	const file = join(folder.path, "resort.sqlite");
	const resort = new Killable(file, rules, dice);
	await resort.start();
	try {
		while (walk.steps < ROUND) {
			const before = walk.steps;
			await walk.run(resort, stretch(dice, walk));
			walked.steps += walk.steps - before;
			walked.fates[await walk.cutOff(resort)]++;
		}
	} finally {
		await resort.kill();
	}
}

function stretch(dice: SeededRandom, { steps }: Walk): number {
	return Math.min(ROUND - steps, dice.between(1, MAX_STRETCH));
}
