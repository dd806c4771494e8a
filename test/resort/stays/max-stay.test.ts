import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { endOverdueStays } from "../../../src/resort/stays/service.ts";
import { expectRefusal, first, iso } from "../../support/answers.ts";
import { type Registered, TestResort } from "../../support/resort.ts";

const activity = first(activities);

let resort: TestResort;
let ada: Registered;
let arrivedMs: number;

beforeEach(async () => {
	resort = new TestResort({ maxStayMs: HOUR_MS });
	ada = await resort.guest();
	arrivedMs = resort.nowMs;
});
afterEach(() => resort.close());

const ask = (method: string, path: string, { key } = ada) =>
	resort.ask(method, path, { key });
const act = () => ask("POST", `/api/activities/${activity.id}/do`);
const toLimit = (restMs: number) =>
	resort.advance(arrivedMs + HOUR_MS - restMs - resort.nowMs);
const sweep = () => endOverdueStays(resort.context);

/** All that can be read of the agent, without what is left to chance. */
async function reads(): Promise<unknown> {
	const current = await ask("GET", "/api/stays/current");
	const { body: lobby } = await ask("GET", "/api/lobby");
	return {
		current: [current.status, current.body.stay, current.body.error],
		stays: (await ask("GET", "/api/stays")).body.stays,
		status: (await ask("GET", `/api/agents/${ada.id}/status`)).body,
		statuses: (await ask("GET", `/api/agents/status?ids=${ada.id}`)).body,
		stats: (await ask("GET", "/api/stats")).body.stats,
		log: (await ask("GET", "/api/activities/log")).body.log,
		guests: lobby.guests,
		totalGuestsToday: lobby.totalGuestsToday,
	};
}

describe("a stay one millisecond before the longest stay allowed", () => {
	beforeEach(() => toLimit(1));

	test("is open in every read", async () => {
		expect((await ask("GET", "/api/stays/current")).status).toBe(200);
		const { body } = await ask("GET", `/api/agents/${ada.id}/status`);
		expect(body.status).toBe("relaxing");
		const lobby = await ask("GET", "/api/lobby");
		expect(lobby.body.guests.map(({ id }) => id)).toEqual([ada.id]);
		const stays = await ask("GET", "/api/stays");
		expect(stays.body.stays[0]?.status).toBe("checked_in");
	});

	test("takes an activity, and a check-out but no check-in", async () => {
		expect((await act()).status).toBe(201);
		const again = await ask("POST", "/api/checkin");
		expectRefusal(again, 400, "Already checked in");
		const { body } = await ask("POST", "/api/checkout");
		expect(body.stay.checkedOutAt).toBe(iso(resort.nowMs));
		expect(body.summary.duration).toBe("59 minutes");
	});

	test("is not closed by a sweep", async () => {
		const before = await reads();
		await sweep();
		expect(await reads()).toEqual(before);
	});
});

describe("a stay from the longest stay allowed on", () => {
	for (const lateMs of [0, 1, 5 * HOUR_MS]) {
		test(`is closed in every read ${lateMs} ms later, swept or not`, async () => {
			await act();
			toLimit(-lateMs);
			const limit = iso(arrivedMs + HOUR_MS);
			const current = await ask("GET", "/api/stays/current");
			expectRefusal(current, 404, "Not checked in");
			const { body } = await ask("GET", "/api/stays");
			expect(body.stays).toHaveLength(1);
			expect(body.stays[0]).toMatchObject({
				status: "checked_out",
				checkedOutAt: limit,
				moodOnDeparture: null,
				relaxationPoints: activity.relaxationPoints,
			});
			const status = await ask("GET", `/api/agents/${ada.id}/status`);
			expect(status.body.status).toBe("available");
			expect(status.body.stay).toBeUndefined();
			expect(status.body.lastStay).toMatchObject({
				checkedOutAt: limit,
				totalRelaxationPoints: activity.relaxationPoints,
			});
			expect((await ask("GET", "/api/lobby")).body.guests).toEqual([]);
			const before = await reads();
			await sweep();
			expect(await reads()).toEqual(before);
		});
	}

	test("takes nothing more", async () => {
		toLimit(0);
		expectRefusal(await act(), 400, "Not checked in");
		const late = await ask("POST", "/api/checkout");
		expectRefusal(late, 400, "Not checked in");
		expect((await ask("GET", "/api/activities/log")).body.log).toHaveLength(0);
		const { body } = await ask("GET", "/api/stats");
		expect(body.stats).toMatchObject({
			totalStays: 1,
			totalRelaxationPoints: 0,
			totalActivitiesCompleted: 0,
		});
	});

	test("makes room for a new one", async () => {
		toLimit(-MINUTE_MS);
		expect((await ask("POST", "/api/checkin")).status).toBe(201);
		const { body } = await ask("GET", "/api/stays");
		expect(body.stays.map((stay) => stay.checkedOutAt)).toEqual([
			null,
			iso(arrivedMs + HOUR_MS),
		]);
		resort.advance(HOUR_MS - 1);
		expect((await ask("GET", "/api/stays/current")).status).toBe(200);
		expect((await act()).body.relaxationPoints).toBe(activity.relaxationPoints);
		resort.advance(1);
		expect((await ask("GET", "/api/stays/current")).status).toBe(404);
	});

	test("gives its room back to whoever comes next, swept or not", async () => {
		const luck = { ...resort.context.random, below: () => 0 };
		await resort.close();
		resort = new TestResort({ maxStayMs: HOUR_MS, random: luck });
		const guests: Registered[] = [];
		for (let guest = 0; guest < 99; guest++) guests.push(await resort.guest());
		const stayer = first(guests);
		resort.advance(1);
		await ask("POST", "/api/checkout", stayer);
		const { stay } = (await ask("POST", "/api/checkin", stayer)).body;
		resort.advance(HOUR_MS - 1);
		const late = await resort.register();
		const { body } = await ask("POST", "/api/checkin", late);
		expect((await ask("GET", "/api/stays/current", stayer)).status).toBe(200);
		expect(body.stay.roomType).toBe(stay.roomType);
		expect(body.stay.roomName).not.toBe(stay.roomName);
	});
});
