import { expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS, toTimestamp } from "../../../../src/core/lib/clock.ts";
import { EventReader } from "../../../support/event-reader.ts";
import { TestResort } from "../../../support/resort.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const get = async (path: string) => (await resort.call("GET", path, { key: ada.key })).body;

test("a sweep at the time endsBy of a stay publishes one event agent.available with the reason max_stay and the time endsBy, also to waiting calls and open streams", async () => {
	await resort.call("POST", "/api/checkin", { key: ada.key, body: { maxMinutes: 1 } });
	const { cursor } = await get("/api/events");
	const endedAt = toTimestamp(resort.nowMs + MINUTE_MS);
	await using server = Bun.serve({ port: 0, fetch: (request) => resort.fetch(request) });
	const stream = await EventReader.open(`${server.url}api/events`);
	const waiting = get(`/api/agents/${ada.id}/status?until=available&wait=60`);
	const waitingForEvents = get(`/api/events?since=${cursor}&wait=60`);
	await resort.untilWaiting(2);
	resort.advance(MINUTE_MS - 1);
	await resort.sweep();
	expect(resort.concurrency.open.call).toBe(2);
	resort.advance(1);
	await Promise.all([resort.sweep(), resort.sweep()]);
	expect(await waiting).toMatchObject({ status: "available", lastStay: { checkedOutAt: endedAt } });
	const { events } = await get(`/api/events?since=${cursor}`);
	expect(events).toMatchObject([{ type: "agent.available", reason: "max_stay", at: endedAt }]);
	expect(events).toHaveLength(1);
	expect((await waitingForEvents).events).toEqual(events);
	const sent = (await stream.have(1)).map(({ data = "" }) => JSON.parse(data));
	expect(sent).toEqual(events);
	stream.leave();
});

test("the room of an overdue stay is free, before and after the sweep", async () => {
	const random = { ...resort.context.random, below: () => 0 };
	await using full = new TestResort({ maxStayMs: HOUR_MS, random });
	const stayer = await full.guest();
	for (let guest = 1; guest < 99; guest++) await full.guest();
	full.advance(1);
	await full.checkOut(stayer);
	const { stay } = (await full.call("POST", "/api/checkin", stayer)).body;
	full.advance(HOUR_MS - 1);
	const late = await full.register();
	const { body } = await full.call("POST", "/api/checkin", late);
	const kept = await full.call("GET", "/api/stays/current", stayer);
	expect(kept.status).toBe(200);
	expect(body.stay.roomType).toBe(stay.roomType);
	expect(body.stay.roomName).not.toBe(stay.roomName);
	await full.guest();
	full.advance(HOUR_MS);
	// There are more overdue stays than the sweep reads in one step.
	await full.sweep();
	const open = "SELECT id FROM stays WHERE checked_out_at IS NULL";
	expect(await full.rows(open)).toEqual([]);
});

test.each([
	["1 ms before midnight", "is not counted", -1, [0]],
	["at midnight", "may be counted", 0, [0, 1]],
	["1 ms after midnight", "is counted", 1, [1]],
] as const)(
	"a stay that became overdue %s %s in totalGuestsToday, before and after the sweep",
	async (_when, _outcome, afterMs, totals) => {
		const limitMs = Date.UTC(2026, 2, 11) + afterMs;
		const nowMs = limitMs - HOUR_MS;
		await using late = new TestResort({ maxStayMs: HOUR_MS, nowMs });
		await late.guest();
		late.advance(2 * HOUR_MS);
		const lobby = async () => (await late.call("GET", "/api/lobby")).body;
		const { guests, totalGuestsToday } = await lobby();
		expect(guests).toEqual([]);
		expect(totalGuestsToday).toBeOneOf(totals);
		await late.sweep();
		expect((await lobby()).totalGuestsToday).toBe(totalGuestsToday);
	},
);
