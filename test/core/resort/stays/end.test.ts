import { expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS, toTimestamp } from "../../../../src/core/lib/clock.ts";
import { ResortError } from "../../../../src/core/lib/resort-error.ts";
import { EventReader } from "../../../support/event-reader.ts";
import { TestResort } from "../../../support/resort.ts";
import { until } from "../../../support/until.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const get = async (path: string) => (await resort.call("GET", path, { key: ada.key })).body;

test("the first sweep at or after `endsBy` of a stay publishes one `agent.available`, which waiting calls and streams receive", async () => {
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

test("a room in use is assigned again only if its stay is overdue, or if no other room of its type is free", async () => {
	const random = { ...resort.context.random, below: () => 0 };
	await using full = new TestResort({ random });
	const assign = async (maxMinutes: number) => {
		const { key } = await full.register();
		const { stay } = await full.send("POST", "/api/checkin", { key, body: { maxMinutes } });
		return stay.roomName;
	};
	const rooms: string[] = [];
	// 101 guests are more than the 99 rooms of a type, and than the 100 stays that one step of a sweep ends.
	for (let guest = 1; guest <= 101; guest++) rooms.push(await assign(guest === 50 ? 1 : 60));
	const [first = ""] = rooms;
	const all = Array.from({ length: 99 }, (_, at) => first.replace(/1$/, String(at + 1)));
	expect(rooms).toEqual([...all, first, first]);
	full.advance(MINUTE_MS);
	expect(await assign(60)).toBe(first.replace(/1$/, "50"));
	full.advance(HOUR_MS);
	// On a busy machine, PostgreSQL may be too slow to end all stays in one sweep. The next one ends the rest.
	const swept = async () => {
		try {
			await full.sweep();
			return true;
		} catch (error) {
			if (error instanceof ResortError && error.code === "unavailable") return false;
			throw error;
		}
	};
	await until(swept);
	expect(await full.rows("SELECT id FROM stays WHERE checked_out_at IS NULL")).toEqual([]);
});

test.each([
	["1 ms before midnight", "is not counted", -1, [0]],
	["at midnight", "may be counted", 0, [0, 1]],
	["1 ms after midnight", "is counted", 1, [1]],
] as const)(
	"a stay that became overdue %s %s in totalGuestsToday, both before and after a sweep ends it",
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
