import { expect } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { roomTypes } from "../../../src/content/rooms.ts";
import { ROOMS_PER_TYPE } from "../../../src/resort/stays/room-choice.ts";
import { first } from "../../support/answers.ts";
import { fogBathing } from "../../support/community.ts";
import { eventsOf, type Race, tally } from "./race.ts";

/** Races of agents for stays, rooms, points and votes. */
export const racesOfGuests: readonly Race[] = [
	{
		name: "of 60 check-ins of one agent one is taken",
		async run(houses) {
			const { id, key } = await houses.at(0).register();
			const answers = await houses.atOnce(60, (context) =>
				context.ask("POST", "/api/checkin", { key }),
			);
			expect(tally(answers)).toEqual({ 201: 1, 400: 59 });
			expect(await eventsOf(houses, id)).toEqual(["agent.relaxing"]);
			for (const { body } of await houses.atEach((context) =>
				context.ask("GET", "/api/stays", { key }),
			)) {
				expect(body.stays).toHaveLength(1);
			}
		},
	},
	{
		name: "of 30 check-outs of one agent one is taken",
		async run(houses) {
			const { id, key } = await houses.at(0).guest();
			const answers = await houses.atOnce(30, (context) =>
				context.ask("POST", "/api/checkout", { key }),
			);
			expect(tally(answers)).toEqual({ 200: 1, 400: 29 });
			expect(await eventsOf(houses, id)).toEqual([
				"agent.relaxing",
				"agent.available",
			]);
		},
	},
	{
		name: "99 check-ins into one room type have 99 rooms",
		async run(houses) {
			const { name } = first(roomTypes);
			const guests = await Promise.all(
				Array.from({ length: ROOMS_PER_TYPE }, (_, at) =>
					houses.at(at).register({ roomPreference: name }),
				),
			);
			const post = (path: string) =>
				houses.atOnce(ROOMS_PER_TYPE, (context, at) =>
					context.ask("POST", path, { key: guests[at]?.key ?? "" }),
				);
			const answers = await post("/api/checkin");
			expect(tally(answers)).toEqual({ 201: ROOMS_PER_TYPE });
			const rooms = answers.map(({ body }) => body.stay.roomName);
			const all = guests.map((_, at) => `${name} ${at + 1}`);
			expect(rooms.toSorted()).toEqual(all.toSorted());
			expect(tally(await post("/api/checkout"))).toEqual({ 200: 99 });
		},
	},
	{
		name: "30 activities of one agent add up, and each tells its own total",
		async run(houses) {
			const { key } = await houses.at(0).guest();
			const { id, relaxationPoints: points } = first(activities);
			const answers = await houses.atOnce(30, (context) =>
				context.ask("POST", `/api/activities/${id}/do`, { key }),
			);
			expect(tally(answers)).toEqual({ 201: 30 });
			const totals = answers.map(({ body }) => body.relaxationPoints);
			const all = answers.map((_, at) => points * (at + 1));
			expect(totals.toSorted((a, b) => a - b)).toEqual(all);
		},
	},
	{
		name: "12 first votes of one agent are one vote",
		async run(houses) {
			const { key } = await houses.at(0).guest();
			const made = await houses
				.at(1)
				.ask("POST", "/api/experiences", { key, body: fogBathing });
			const path = `/api/experiences/${made.body.experience.id}`;
			await houses.at(2).ask("POST", `${path}/do`, { key });
			const answers = await houses.atOnce(12, (context, at) =>
				context.ask("POST", `${path}/vote`, {
					key,
					body: { rating: (at % 5) + 1 },
				}),
			);
			expect(tally(answers)).toEqual({ 200: 12 });
			expect(new Set(answers.map(({ body }) => body.vote.id)).size).toBe(1);
			for (const context of houses.all) {
				const { votes } = (await context.ask("GET", `${path}/votes`)).body;
				expect(votes).toHaveLength(1);
				expect((await context.ask("GET", path)).body.experience).toMatchObject({
					totalVotes: 1,
					avgRating: votes[0]?.rating,
				});
			}
		},
	},
];
