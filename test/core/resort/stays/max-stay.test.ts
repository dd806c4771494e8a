import { describe, expect, test } from "bun:test";
import { configuration } from "../../../../src/cli/features.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { TestResort } from "../../../support/resort.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";

const resort = useResort({ maxStayMs: HOUR_MS });
const ada = useGuest(resort);

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
	[-1, [0]],
	[0, [0, 1]],
	[1, [1]],
])(
	"a stay that became overdue %d ms after midnight adds one of %j to totalGuestsToday, before and after the sweep",
	async (afterMs, totals) => {
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

describe("a sweep", () => {
	test("publishes agent.available once for each overdue stay, but not for deactivated agents", async () => {
		const bob = await resort.guest();
		await resort.call("DELETE", "/api/me", { key: ada.key });
		resort.advance(HOUR_MS);
		await Promise.all([resort.sweep(), resort.sweep()]);
		await resort.sweep();
		const published = await resort.rows("SELECT agent_id, type FROM events ORDER BY id");
		expect(published).toEqual([
			{ agent_id: ada.id, type: "agent.relaxing" },
			{ agent_id: bob.id, type: "agent.relaxing" },
			{ agent_id: ada.id, type: "agent.gone" },
			{ agent_id: bob.id, type: "agent.available" },
		]);
		const open = "SELECT id FROM stays WHERE checked_out_at IS NULL";
		expect(await resort.rows(open)).toEqual([]);
	});
});

describe("--max-stay", () => {
	test.each([
		[undefined, 0],
		["0", 0],
		["1.25", 75 * MINUTE_MS],
		["0.001", 3600],
	])("%p hours are %d ms", (hours, ms) => {
		const flags = hours === undefined ? {} : { "max-stay": hours };
		expect(configuration.read(flags, {})["max-stay"]).toBe(ms);
	});

	test("without the setting, no stay ends by itself", async () => {
		await using endless = new TestResort();
		const guest = await endless.guest();
		endless.advance(3650 * DAY_MS);
		await endless.sweep();
		const { status } = await endless.call("GET", "/api/stays/current", guest);
		expect(status).toBe(200);
	});
});
