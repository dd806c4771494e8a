import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import { fields, iso, namesOf, UUID_V7 } from "../../support/answers.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const list = (agent = ada) => resort.ask("GET", "/api/stays", agent);

/** Stays once for each mood, and does not leave the last time. */
async function stay(moods: number[], lengthMs: number): Promise<void> {
	for (const mood of moods) {
		await resort.ask("POST", "/api/checkout", ada);
		resort.advance(lengthMs);
		const body = { moodOnArrival: String(mood) };
		await resort.ask("POST", "/api/checkin", { key: ada.key, body });
		resort.advance(lengthMs);
	}
}

describe("GET /api/stays", () => {
	test("shows open and closed stays, newest first", async () => {
		const startMs = resort.nowMs;
		await stay([1, 2], HOUR_MS);
		const { body } = await list();
		const shown = body.stays.map(({ id, roomName, roomType, ...rest }) => {
			expect(id).toMatch(UUID_V7);
			expect(roomName).toStartWith(`${roomType} `);
			return rest;
		});
		const common = { relaxationPoints: 0, moodOnDeparture: null };
		expect(shown).toEqual([
			{
				...common,
				checkedInAt: iso(startMs + 3 * HOUR_MS),
				checkedOutAt: null,
				moodOnArrival: "2",
				status: "checked_in",
			},
			{
				...common,
				checkedInAt: iso(startMs + HOUR_MS),
				checkedOutAt: iso(startMs + 2 * HOUR_MS),
				moodOnArrival: "1",
				status: "checked_out",
			},
		]);
		expect(namesOf(body)).toBe("ok stays total");
		for (const one of body.stays) expect(namesOf(one)).toBe(fields.stay);
	});

	test("shows the newest first also within one millisecond", async () => {
		await stay([1, 2, 3, 4, 5], 0);
		const { stays } = (await list()).body;
		const moods = stays.map(({ moodOnArrival }) => moodOnArrival);
		expect(moods).toEqual(["5", "4", "3", "2", "1"]);
	});
});
