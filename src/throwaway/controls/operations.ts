import { ResortError } from "../../lib/resort-error.ts";
import {
	type Controls,
	type House,
	operation,
} from "../../resort/operation.ts";
import { MoveClockBody, StateAnswer } from "./model.ts";
import { getState, timeAfter } from "./rules.ts";

/** What tests do to a throwaway instance. */
export const controlOperations = [
	operation({
		id: "resetResort",
		method: "POST",
		path: "/test/reset",
		summary: "Back to the start",
		description:
			"To the fixtures, with empty limits, the true time and the chance of the seed from its start.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		answers: { 200: StateAnswer },
		async run({ house }) {
			await controlsOf(house).reset();
			return getState(house);
		},
	}),
	operation({
		id: "moveClock",
		method: "POST",
		path: "/test/clock",
		summary: "Move the clock",
		description: "By `advanceSeconds`, or to `now`; it goes on from there.",
		tag: "Test controls",
		only: "controls",
		credential: "none",
		body: MoveClockBody,
		answers: { 200: StateAnswer },
		async run({ house, body }) {
			await controlsOf(house).setClock(timeAfter(house.clock(), body));
			return getState(house);
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
		run: ({ house }) => getState(house),
	}),
];

/** @throws ResortError `not_found` where tests may do nothing */
function controlsOf({ controls }: House): Controls {
	if (controls === null) throw new ResortError("not_found", "Not found");
	return controls;
}
