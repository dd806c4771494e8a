import type { Windows } from "../../access/limits.ts";
import type { Guarded } from "../../http/guards.ts";
import type { Resort } from "../../resort/resort.ts";
import { answers } from "../../resort/schemas.ts";
import { MoveClockBody, StateAnswer } from "./model.ts";
import { type Controls, getState, moveClock, resetResort } from "./service.ts";

/** What tests do to a throwaway instance; only with `--test-controls`. */
export const controlRoutes = (
	app: Guarded,
	resort: Resort,
	windows: Windows,
	controls: Controls,
) => {
	const state = () => getState(resort);
	return app
		.post(
			"/test/reset",
			async () => {
				await resetResort(resort, controls, () => {
					for (const window of Object.values(windows)) window.clear();
				});
				return state();
			},
			{
				local: true,
				detail: {
					operationId: "resetResort",
					summary: "Back to the start",
					description:
						"To the fixtures, with empty limits, the true time and the chance of the seed from its start.",
					tags: ["Test controls"],
				},
				response: answers(200, StateAnswer, 400, 403),
			},
		)
		.post(
			"/test/clock",
			({ body }) => {
				moveClock(controls.clock, body);
				return state();
			},
			{
				local: true,
				body: MoveClockBody,
				detail: {
					operationId: "moveClock",
					summary: "Move the clock",
					description:
						"By `advanceSeconds`, or to `now`; it goes on from there.",
					tags: ["Test controls"],
				},
				response: answers(200, StateAnswer, 400, 403),
			},
		)
		.get("/test/state", state, {
			local: true,
			detail: {
				operationId: "getState",
				summary: "The time, and how many agents and guests there are",
				description: "Counts who is not deactivated, and who is checked in.",
				tags: ["Test controls"],
			},
			response: answers(200, StateAnswer, 403),
		});
};
