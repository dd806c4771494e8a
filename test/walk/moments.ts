import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/core/lib/clock.ts";
import type { Agent, Experience } from "./entities.ts";
import type { Model } from "./model.ts";
import type { SeededRandom } from "./random.ts";
import { LONGEST_PAUSE_MS } from "./state.ts";

/** The calls that are likely to find an error at a certain time. */
export interface Focus {
	readonly operations: readonly string[];
	readonly caller?: Agent;
	readonly experience?: Experience;
	readonly session?: string;
	readonly key?: string;
}

/** A time at which something ends without a call, for example a session. */
interface Moment {
	readonly atMs: number;
	readonly focus: Focus;
}

const comeAndGo = ["POST /api/checkin", "POST /api/checkout", "GET /api/lobby"];

const presence = [
	...comeAndGo,
	"GET /api/agents",
	"GET /api/agents/:id/status",
	"GET /api/stays/current",
	"GET /api/stays",
];

function momentsOf(model: Model): Moment[][] {
	const { agents, sessions, unended, nowMs } = model.state;
	const next = (everyMs: number): Moment[] => {
		const atMs = nowMs - (nowMs % everyMs) + everyMs;
		return [{ atMs, focus: { operations: comeAndGo } }];
	};
	const ofEach = (operations: readonly string[], when: (agent: Agent) => number | undefined): Moment[] =>
		[...agents.values()].map((caller) => {
			return { atMs: when(caller) ?? 0, focus: { caller, operations } };
		});
	return [
		next(DAY_MS),
		next(6 * HOUR_MS),
		[...sessions].map(([session, { agent: caller, endsAt }]) => {
			const focus = { caller, session, operations: ["GET /api/me"] };
			return { atMs: endsAt, focus };
		}),
		ofEach(presence, ({ log }) => log.at(-1)?.endsAt),
		ofEach(presence, ({ stays }) => stays.at(-1)?.endsBy ?? 0),
		[...unended]
			.filter(([, { goneAt, isErased }]) => goneAt !== null && !isErased)
			.map(([{ endsBy }, caller]) => ({
				atMs: endsBy ?? 0,
				focus: { caller, operations: ["POST /agents/:id/reactivate"] },
			})),
		ofEach(["GET /api/me", "GET /api/agents/:id"], ({ heardAt }) => (heardAt ?? 0) + MINUTE_MS),
		ofEach(["GET /api/me/overview"], ({ heardAt }) => (heardAt ?? 0) + LONGEST_PAUSE_MS),
	];
}

function findMoment(dice: SeededRandom, model: Model): Moment | undefined {
	const ahead = momentsOf(model)
		.map((all) => all.filter(({ atMs }) => atMs > model.state.nowMs + 1))
		.filter((moments) => moments.length > 0);
	return dice.find(dice.find(ahead) ?? []);
}

/** The next advance of the clock, and the calls that are likely after it. */
export interface Move {
	readonly byMs: number;
	readonly focus?: Focus;
}

/**
 * Returns the next advance of the clock: often none, sometimes hours, sometimes to a moment at which
 * something ends, or a millisecond before or after it.
 * @param isBusy whether the clock should usually stand still
 */
export function nextMove(dice: SeededRandom, model: Model, isBusy: boolean): Move {
	if (isBusy && dice.chance(0.8)) return { byMs: 0 };
	return dice.weighted<() => Move>([
		[300, () => ({ byMs: 0 })],
		[450, () => ({ byMs: dice.between(1, 5 * SECOND_MS) })],
		[60, () => toMoment(dice, model)],
		[isBusy ? 0 : 150, () => ({ byMs: dice.between(1, 3 * MINUTE_MS) })],
		[isBusy ? 0 : 20, () => ({ byMs: dice.between(1, 2 * HOUR_MS) })],
		[isBusy ? 0 : 3, () => ({ byMs: dice.between(1, 36 * HOUR_MS) })],
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
