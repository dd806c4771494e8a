/** Needs the address of a PostgreSQL server in RESORT_TEST_POSTGRES. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { SECOND_MS } from "../../../src/lib/clock.ts";
import { eventsOf, tally } from "../../store/postgres/race.ts";
import { testServer } from "../../support/postgres/lazy-store.ts";
import { keyOf } from "./house.ts";
import { me, ThreeHouses } from "./three-houses.ts";

setDefaultTimeout(60_000);

describe.skipIf(testServer === undefined)("three instances", () => {
	test("take a signed call once of 50 times at the same moment", async () => {
		await using three = await ThreeHouses.open();
		const { houses } = three;
		for (let round = 0; round < 5; round++) {
			const call = three.signed("GET", "/api/me", "getMe");
			const answers = await houses.atOnce(50, (context) => me(context, call));
			expect(tally(answers)).toEqual({ 200: 1, 401: 49 });
		}
		const call = three.signed("POST", "/api/checkin", "checkIn");
		const answers = await houses.atOnce(50, (context) =>
			context.ask("POST", "/api/checkin", call),
		);
		expect(tally(answers)).toEqual({ 201: 1, 401: 49 });
		const own = three.signed("GET", "/api/me", "getMe");
		const { id } = (await me(houses.at(0), own)).body.agent;
		expect(await eventsOf(houses, id)).toEqual(["agent.relaxing"]);
	});

	test("take a signed call once, also after all were restarted", async () => {
		await using three = await ThreeHouses.open();
		const call = three.signed("GET", "/api/me", "getMe");
		expect((await me(three.houses.at(0), call)).status).toBe(200);
		expect(await three.each(call)).toEqual([401, 401, 401]);
		await three.restartAll();
		expect(await three.each(call)).toEqual([401, 401, 401]);
		three.houses.advance(29 * SECOND_MS);
		expect(await three.each(call)).toEqual([401, 401, 401]);
	});

	test("make one agent of the first calls of an identity", async () => {
		await using three = await ThreeHouses.open();
		const { houses } = three;
		for (const subject of ["ada", "bea", "coral", "dora"]) {
			const answers = await houses.atOnce(30, (context, at) =>
				me(context, { key: keyOf(subject, at) }),
			);
			expect(tally(answers)).toEqual({ 200: 30 });
			expect(new Set(answers.map(({ body }) => body.agent.id)).size).toBe(1);
		}
		expect(await houses.rows("SELECT id FROM agents")).toHaveLength(4);
	});
});
