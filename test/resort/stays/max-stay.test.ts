import { beforeEach, describe, expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectRefusal } from "../../support/answers.ts";
import { Community, fogBathing } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso } from "../../support/values.ts";

const TIDEPOOL = "/api/activities/tidepool-float/do";
const POINTS = 4;

const resort = useCommunity({ maxStayMs: HOUR_MS });
const ada = useGuest(resort);
let arrivedMs: number;

beforeEach(() => {
	arrivedMs = resort.nowMs;
});

const get = (path: string, agent: Registered = ada) =>
	resort.ask("GET", path, agent);
const post = (path: string, body = {}, { key }: Registered = ada) =>
	resort.ask("POST", path, { key, body });
const current = (agent?: Registered) => get("/api/stays/current", agent);
const toLimit = (restMs: number) =>
	resort.advance(arrivedMs + HOUR_MS - restMs - resort.nowMs);

/** All that can be read of the agent, without what is drawn at random. */
async function reads(): Promise<unknown> {
	const { status, body } = await current();
	const { body: lobby } = await get("/api/lobby");
	return {
		current: [status, body.stay, body.error],
		stays: (await get("/api/stays")).body.stays,
		status: (await get(`/api/agents/${ada.id}/status`)).body,
		statuses: (await get(`/api/agents/status?ids=${ada.id}`)).body,
		stats: (await get("/api/stats")).body.stats,
		log: (await get("/api/activities/log")).body.log,
		guests: lobby.guests,
		totalGuestsToday: lobby.totalGuestsToday,
	};
}

/** The calls that need a stay; the last one ends it. */
async function callsInStay(): Promise<[path: string, body: object][]> {
	const { id } = await resort.create(ada);
	return [
		[TIDEPOOL, {}],
		["/api/experiences", fogBathing],
		[`/api/experiences/${id}/do`, {}],
		["/api/postcards", { message: "Wish you idle" }],
		["/api/checkout", {}],
	];
}

/** Checks that a sweep changes nothing that can be read. */
async function expectSweptAlready(): Promise<void> {
	const before = await reads();
	await resort.sweep();
	expect(await reads()).toEqual(before);
}

describe("a stay one millisecond before the longest stay allowed", () => {
	test("is open in every read, and a sweep does not close it", async () => {
		toLimit(1);
		expect((await current()).status).toBe(200);
		const { body } = await get(`/api/agents/${ada.id}/status`);
		expect(body.status).toBe("relaxing");
		const lobby = await get("/api/lobby");
		expect(lobby.body.guests.map(({ id }) => id)).toEqual([ada.id]);
		const stays = await get("/api/stays");
		expect(stays.body.stays[0]?.status).toBe("checked_in");
		await expectSweptAlready();
	});

	test("takes every call that needs a stay, but no check-in", async () => {
		const calls = await callsInStay();
		toLimit(1);
		const again = await post("/api/checkin");
		expectRefusal(again, 400, "Already checked in");
		for (const [path, body] of calls) {
			const answer = await post(path, body);
			expect(answer.status, answer.text).toBeOneOf([200, 201]);
			if (path !== "/api/checkout") continue;
			expect(answer.body.stay.checkedOutAt).toBe(iso(resort.nowMs));
			expect(answer.body.summary.duration).toBe("59 minutes");
		}
	});
});

describe("a stay from the longest stay allowed on", () => {
	test.each([0, 1, 5 * HOUR_MS])(
		"is closed in every read %d ms later, swept or not",
		async (lateMs) => {
			await post(TIDEPOOL);
			toLimit(-lateMs);
			const limit = iso(arrivedMs + HOUR_MS);
			expectRefusal(await current(), 404, "Not checked in");
			const { body } = await get("/api/stays");
			expect(body.stays).toHaveLength(1);
			expect(body.stays[0]).toMatchObject({
				status: "checked_out",
				checkedOutAt: limit,
				moodOnDeparture: null,
				relaxationPoints: POINTS,
			});
			const status = await get(`/api/agents/${ada.id}/status`);
			expect(status.body.status).toBe("available");
			expect(status.body.stay).toBeUndefined();
			expect(status.body.lastStay).toMatchObject({
				checkedOutAt: limit,
				totalRelaxationPoints: POINTS,
			});
			expect((await get("/api/lobby")).body.guests).toEqual([]);
			const overview = await get("/api/me/overview");
			expect(overview.body).toMatchObject({
				stay: null,
				lastStay: { checkedOutAt: limit },
			});
			await expectSweptAlready();
		},
	);

	test("takes no call that needs a stay, and counts nothing", async () => {
		const calls = await callsInStay();
		toLimit(0);
		for (const [path, body] of calls) {
			expectRefusal(await post(path, body), 400, "Not checked in");
		}
		expect((await get("/api/activities/log")).body.log).toHaveLength(0);
		expect(await resort.messages("/api/postcards")).toEqual([]);
		expect(await resort.names()).toEqual([fogBathing.name]);
		const { body } = await get("/api/stats");
		expect(body.stats).toMatchObject({
			totalStays: 1,
			totalRelaxationPoints: 0,
			totalActivitiesCompleted: 0,
		});
	});

	test("makes room for a new one", async () => {
		toLimit(-MINUTE_MS);
		expect((await post("/api/checkin")).status).toBe(201);
		const { body } = await get("/api/stays");
		expect(body.stays.map((stay) => stay.checkedOutAt)).toEqual([
			null,
			iso(arrivedMs + HOUR_MS),
		]);
		resort.advance(HOUR_MS - 1);
		expect((await current()).status).toBe(200);
		expect((await post(TIDEPOOL)).body.relaxationPoints).toBe(POINTS);
		resort.advance(1);
		expect((await current()).status).toBe(404);
	});
});

test("a stay that has passed the longest stay gives its room back, swept or not", async () => {
	const random = { ...resort.context.random, below: () => 0 };
	await using full = new Community({ maxStayMs: HOUR_MS, random });
	const stayer = await full.guest();
	for (let guest = 1; guest < 99; guest++) await full.guest();
	full.advance(1);
	await full.checkOut(stayer);
	const { stay } = (await full.ask("POST", "/api/checkin", stayer)).body;
	full.advance(HOUR_MS - 1);
	const late = await full.register();
	const { body } = await full.ask("POST", "/api/checkin", late);
	const kept = await full.ask("GET", "/api/stays/current", stayer);
	expect(kept.status).toBe(200);
	expect(body.stay.roomType).toBe(stay.roomType);
	expect(body.stay.roomName).not.toBe(stay.roomName);
});

test.each([
	[-1, [0]],
	[0, [0, 1]],
	[1, [1]],
])(
	"a stay that ended %d ms after midnight counts %j among the guests of the day, swept or not",
	async (afterMs, totals) => {
		const limitMs = Date.UTC(2026, 2, 11) + afterMs;
		const nowMs = limitMs - HOUR_MS;
		await using late = new Community({ maxStayMs: HOUR_MS, nowMs });
		await late.guest();
		late.advance(2 * HOUR_MS);
		const lobby = async () => (await late.ask("GET", "/api/lobby")).body;
		const { guests, totalGuestsToday } = await lobby();
		expect(guests).toEqual([]);
		expect(totalGuestsToday).toBeOneOf(totals);
		await late.sweep();
		expect((await lobby()).totalGuestsToday).toBe(totalGuestsToday);
	},
);

describe("a sweep", () => {
	test("publishes the end of each stay once, and nothing of an agent that is gone", async () => {
		const bob = await resort.guest();
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		resort.advance(HOUR_MS);
		await Promise.all([resort.sweep(), resort.sweep()]);
		await resort.sweep();
		const published = await resort.rows(
			"SELECT agent_id, type FROM events ORDER BY id",
		);
		expect(published).toEqual([
			{ agent_id: ada.id, type: "agent.relaxing" },
			{ agent_id: bob.id, type: "agent.relaxing" },
			{ agent_id: ada.id, type: "agent.gone" },
			{ agent_id: bob.id, type: "agent.available" },
		]);
		const open = "SELECT id FROM stays WHERE checked_out_at IS NULL";
		expect(await resort.rows(open)).toEqual([]);
	});

	test("closes what is overdue, as of its limit, and nothing else", async () => {
		resort.advance(30 * MINUTE_MS);
		const bob = await resort.guest();
		await resort.ask("DELETE", "/api/me", { key: ada.key });
		resort.advance(45 * MINUTE_MS);
		await resort.sweep();
		const rows = await resort.rows(
			"SELECT agent_id, checked_out_at FROM stays ORDER BY seq",
		);
		expect(rows).toEqual([
			{ agent_id: ada.id, checked_out_at: arrivedMs + HOUR_MS },
			{ agent_id: bob.id, checked_out_at: null },
		]);
	});
});

describe("--max-stay", () => {
	test.each([
		[undefined, 0],
		["0", 0],
		["1", HOUR_MS],
		["0.5", 30 * MINUTE_MS],
		["1.25", 75 * MINUTE_MS],
		["0.001", 3600],
	])("of %p hours is %d ms", (hours, ms) => {
		const flags = hours === undefined ? {} : { "max-stay": hours };
		expect(readConfig(flags, {})["max-stay"]).toBe(ms);
	});

	test("of none ends no stay", async () => {
		await using endless = new Community();
		const guest = await endless.guest();
		endless.advance(3650 * DAY_MS);
		await endless.sweep();
		const { status } = await endless.ask("GET", "/api/stays/current", guest);
		expect(status).toBe(200);
	});
});
