import type { Model } from "./model.ts";
import { type Focus, findMoment } from "./moments.ts";
import type { SeededRandom } from "./random.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How the clock moves before the next call. */
export interface Move {
	readonly byMs: number;
	/** What is worth calling then. */
	readonly focus?: Focus;
}

/** How much the walk is in a hurry: at one moment, in a short time, or not at all. */
export type Hurry = "still" | "quick" | "none";

/**
 * The next move of the clock: often none, sometimes hours, sometimes to the very moment at which
 * something ends, a millisecond before it or after.
 */
export function nextMove(dice: SeededRandom, model: Model, hurry: Hurry): Move {
	if (hurry === "still" && dice.chance(0.8)) return { byMs: 0 };
	const isCalm = hurry === "none";
	return dice.weighted<() => Move>([
		[300, () => ({ byMs: 0 })],
		[450, () => ({ byMs: dice.between(1, 5 * SECOND_MS) })],
		[50, () => toMoment(dice, model)],
		[isCalm ? 150 : 0, () => ({ byMs: dice.between(1, 3 * MINUTE_MS) })],
		[isCalm ? 20 : 0, () => ({ byMs: dice.between(1, 2 * HOUR_MS) })],
		[isCalm ? 3 : 0, () => ({ byMs: dice.between(1, 36 * HOUR_MS) })],
	])();
}

function toMoment(dice: SeededRandom, model: Model): Move {
	const moment = findMoment(dice, model);
	if (moment === undefined) return { byMs: 0 };
	const { atMs, focus } = moment;
	const aside = dice.weighted([
		[2, -1],
		[4, 0],
		[1, 1],
	]);
	return { byMs: atMs - model.state.nowMs + aside, focus };
}
