import { operation } from "../../resort/operation.ts";
import { controlsOf } from "../controls-of.ts";
import { MoveClockBody, StateAnswer } from "./model.ts";
import { changeOf, getState } from "./service.ts";

/** What tests do to a throwaway instance. */
export const controlOperations = [
	operation({
		id: "resetResort",
		method: "POST",
		path: "/test/reset",
		summary: "Back to the start",
		description:
			"To the fixtures, dated anew, with empty limits, the clock and the chance of the seed as at the start, no faults and no calls.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		answers: { 200: StateAnswer },
		async run({ context }) {
			await controlsOf(context).reset();
			return getState(context);
		},
	}),
	operation({
		id: "moveClock",
		method: "POST",
		path: "/test/clock",
		summary: "Move the clock, or stop it",
		description:
			"By `advanceSeconds`, or to `now`; it goes on from there. With `frozen` true it stands until it is moved or told to go on, with false it goes on.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		body: MoveClockBody,
		answers: { 200: StateAnswer },
		async run({ context, body }) {
			await controlsOf(context).setClock(changeOf(context.clock(), body));
			return getState(context);
		},
	}),
	operation({
		id: "getState",
		method: "GET",
		path: "/test/state",
		summary: "The time, and how many agents and guests there are",
		description: "Counts who is not deactivated, and who is checked in.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		answers: { 200: StateAnswer },
		isFresh: true,
		run: ({ context }) => getState(context),
	}),
];
