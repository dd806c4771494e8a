import { expect } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import { type Race, tally } from "./race.ts";

const setup = { rateLimits: true };

/** How many more calls an answer says are admitted. */
const remaining = (headers: Headers) =>
	Number(/;r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]);

/** Races for the last places of a limit. */
export const racesForLimits: readonly Race[] = [
	{
		name: "a limit of 5 for an agent admits 5 of 60",
		setup,
		async run(houses) {
			houses.advance(HOUR_MS);
			const { key } = await houses.at(0).register();
			const answers = await houses.atOnce(60, (context) =>
				context.ask("POST", "/api/checkin", { key }),
			);
			expect(tally(answers)).toEqual({ 201: 1, 400: 4, 429: 55 });
			const left = answers
				.filter(({ status }) => status !== 429)
				.map(({ headers }) => remaining(headers));
			expect(left.toSorted()).toEqual([0, 1, 2, 3, 4]);
		},
	},
	{
		name: "a limit of 5 for an address admits 5 of 60",
		setup,
		async run(houses) {
			houses.advance(HOUR_MS);
			const answers = await houses.atOnce(60, (context) =>
				context.ask("POST", "/api/agents", { body: { name: "Ada" } }),
			);
			expect(tally(answers)).toEqual({ 201: 5, 429: 55 });
		},
	},
	{
		name: "check-outs that are refused give every place back",
		setup,
		async run(houses) {
			houses.advance(HOUR_MS);
			const { key } = await houses.at(0).register();
			const answers = await houses.atOnce(60, (context) =>
				context.ask("POST", "/api/checkout", { key }),
			);
			for (const { status } of answers) expect([400, 429]).toContain(status);
			for (const context of houses.all) {
				const { status, headers } = await context.ask("POST", "/api/checkout", {
					key,
				});
				expect([status, remaining(headers)]).toEqual([400, 5]);
			}
		},
	},
];
