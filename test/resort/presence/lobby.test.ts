import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { useCommunity } from "../../support/use-resort.ts";
import { fields, first, iso, namesOf } from "../../support/values.ts";

const midnight = Date.UTC(2026, 2, 11);
const activity = first(activities);

const resort = useCommunity({ nowMs: midnight - 12 * HOUR_MS });

const lobby = (query = "") => resort.ask("GET", `/api/lobby${query}`);
const at = (timeMs: number) => resort.advance(timeMs - resort.nowMs);

describe("GET /api/lobby", () => {
	test("of an empty resort has an ambiance and no guests", async () => {
		await resort.register();
		const { status, body } = await lobby();
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("ambiance guests ok total totalGuestsToday");
		expect(body.ok).toBe(true);
		expect(body.guests).toEqual([]);
		expect(body.totalGuestsToday).toBe(0);
		expect(body.ambiance).not.toBe("");
	});

	test("shows a guest with the contract's fields alone", async () => {
		const ada = await resort.register({
			bio: "Counts clouds.",
			interests: ["moss"],
			avatarUrl: "https://example.com/a",
		});
		const { stay } = await resort.checkIn(ada);
		resort.advance(MINUTE_MS);
		const notes = { notes: "private notes" };
		await resort.post(ada, `/api/activities/${activity.id}/do`, notes);
		const { body, text } = await lobby();
		expect(body.guests.map(namesOf)).toEqual([fields.guest]);
		expect(body.guests).toEqual([
			{
				id: ada.id,
				name: "Ada",
				bio: "Counts clouds.",
				room: { name: stay.roomName, type: stay.roomType },
				checkedInAt: stay.checkedInAt,
				relaxationPoints: activity.relaxationPoints,
				currentActivity: {
					name: activity.name,
					startedAt: iso(resort.nowMs),
					endsAt: iso(resort.nowMs + activity.durationMinutes * MINUTE_MS),
				},
			},
		]);
		for (const secret of ["private notes", ada.key, "moss", "example.com"]) {
			expect(text).not.toContain(secret);
		}
	});
});

describe("totalGuestsToday", () => {
	const visits: [name: string, inMs: number, outMs: number, total: number][] = [
		["all yesterday", -3 * HOUR_MS, -1, 0],
		["since yesterday until after midnight", -HOUR_MS, 1, 1],
		["since a week ago until today", -7 * DAY_MS, HOUR_MS, 1],
		["from midnight on", 0, HOUR_MS, 1],
		["for no time at all at midnight", 0, 0, 1],
		["for no time at all today", HOUR_MS, HOUR_MS, 1],
		["today", HOUR_MS, 2 * HOUR_MS, 1],
	];
	for (const [name, inMs, outMs, total] of visits) {
		test(`is ${total} for a visit ${name}`, async () => {
			at(midnight + Math.min(inMs, -HOUR_MS));
			const ada = await resort.register();
			at(midnight + inMs);
			await resort.checkIn(ada);
			at(midnight + outMs);
			await resort.checkOut(ada);
			for (const laterMs of [Math.max(outMs, 0), DAY_MS - 1]) {
				at(midnight + laterMs);
				expect((await lobby()).body.totalGuestsToday).toBe(total);
			}
			at(midnight + DAY_MS);
			expect((await lobby()).body.totalGuestsToday).toBe(0);
		});
	}

	test("counts who is still here, day after day", async () => {
		await resort.guest();
		for (let day = 0; day < 3; day++) {
			expect((await lobby()).body.totalGuestsToday).toBe(1);
			resort.advance(DAY_MS);
		}
	});

	test("leaves out deactivated agents, checked in or gone", async () => {
		const [ada, bob] = [await resort.guest(), await resort.guest()];
		await resort.guest();
		await resort.checkOut(ada);
		expect((await lobby()).body.totalGuestsToday).toBe(3);
		await resort.deactivate(ada);
		expect((await lobby()).body.totalGuestsToday).toBe(2);
		await resort.deactivate(bob);
		expect((await lobby()).body.totalGuestsToday).toBe(1);
	});
});
