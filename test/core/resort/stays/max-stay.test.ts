import { expect, test } from "bun:test";
import { HOUR_MS } from "../../../../src/core/lib/clock.ts";
import { TestResort } from "../../../support/resort.ts";
import { useResort } from "../../../support/use-resort.ts";

const resort = useResort({ maxStayMs: HOUR_MS });

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
