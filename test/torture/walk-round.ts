import { join } from "node:path";
import { HOUR_MS } from "../../src/lib/clock.ts";
import { temporaryFolder } from "../support/executable.ts";
import { TestResort } from "../support/resort.ts";
import type { Fate } from "../walk/cut-off.ts";
import type { Rules } from "../walk/model.ts";
import { SeededRandom } from "../walk/random.ts";
import { Walk } from "../walk/walk.ts";
import { Killable } from "./walk-ground.ts";

/** Steps of a round. */
export const ROUND = 5_000;
/** Steps between two restarts, and between two kills, after which more is loaded anew. */
const MAX_STRETCH = 1_000;
const MAX_STRETCH_TO_KILL = 1_500;
const MAX_CLOSED_MS = 12 * HOUR_MS;

/** A round that is to be walked. */
export interface Order {
	readonly rules: Rules;
	readonly seed: number;
	/** Whether the resort is killed time after time; else it is closed and opened again. */
	readonly isKilled: boolean;
}

/** What was walked. */
export interface Walked {
	steps: number;
	restarts: number;
	readonly fates: Record<Fate, number>;
}

/** What is told of a round while it is walked. */
export interface Teller {
	/** Whether it is to end before its time. */
	readonly isStopped: () => boolean;
	/** Takes what was walked since it was told last. */
	readonly tell: (walked: Walked) => void;
}

/** As it is before the first step. */
export function nothing(): Walked {
	return {
		steps: 0,
		restarts: 0,
		fates: { answered: 0, undone: 0, done: 0 },
	};
}

/** Adds what was walked to what was walked before. */
export function addTo(all: Walked, { steps, restarts, fates }: Walked): void {
	all.steps += steps;
	all.restarts += restarts;
	all.fates.answered += fates.answered;
	all.fates.undone += fates.undone;
	all.fates.done += fates.done;
}

/**
 * Closes the resort and opens it again some time later, again and again.
 * @throws WalkError at the first answer that is not as expected
 */
export async function walkWithRestarts(
	{ rules, seed }: Order,
	{ isStopped, tell }: Teller,
): Promise<void> {
	using folder = temporaryFolder();
	const database = join(folder.path, "resort.sqlite");
	const dice = new SeededRandom(~seed);
	const walk = new Walk({ ...rules, seed });
	const setup = { ...rules, database, random: dice };
	let resort = new TestResort(setup);
	while (walk.steps < ROUND && !isStopped()) {
		const steps = stretch(dice, walk, MAX_STRETCH);
		await walk.run(resort, steps);
		await walk.compareEvents(resort);
		const nowMs = resort.nowMs + dice.below(MAX_CLOSED_MS);
		await resort.close();
		resort = new TestResort({ ...setup, nowMs });
		walk.restarted();
		tell({ ...nothing(), steps, restarts: 1 });
	}
	await resort.close();
}

/**
 * Kills the resort in the middle of a write, again and again.
 * @param program `walk-child.ts`, compiled
 * @throws Error at the first answer that is not as expected, or when a write was lost or is there in part
 */
export async function walkWithKills(
	program: string,
	{ rules, seed }: Order,
	{ isStopped, tell }: Teller,
): Promise<void> {
	using folder = temporaryFolder();
	const dice = new SeededRandom(~seed);
	const walk = new Walk({ ...rules, seed });
	const file = join(folder.path, "resort.sqlite");
	const resort = new Killable([program, file, JSON.stringify(rules)], dice);
	await resort.start();
	try {
		while (walk.steps < ROUND && !isStopped()) {
			const steps = stretch(dice, walk, MAX_STRETCH_TO_KILL);
			await walk.run(resort, steps);
			const walked = { ...nothing(), steps };
			walked.fates[await walk.cutOff(resort)]++;
			tell(walked);
		}
	} finally {
		await resort.kill();
	}
}

function stretch(dice: SeededRandom, { steps }: Walk, max: number): number {
	return Math.min(ROUND - steps, dice.between(1, max));
}
