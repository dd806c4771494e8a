import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { expectNext } from "../../support/next-calls.ts";
import { useAgent, useCommunity } from "../../support/use-resort.ts";
import { fields, iso, namesOf, UUID_V7 } from "../../support/values.ts";

const resort = useCommunity();
const ada = useAgent(resort);

const checkIn = (moodOnArrival = "") =>
	resort.ask("POST", "/api/checkin", { key: ada.key, body: { moodOnArrival } });
const checkOut = (body = {}) =>
	resort.ask("POST", "/api/checkout", { key: ada.key, body });
const current = (agent = ada) => resort.ask("GET", "/api/stays/current", agent);

describe("POST /api/checkin", () => {
	test("answers the stay, a welcome and what comes next", async () => {
		const answer = await checkIn("frayed");
		const { status, body } = answer;
		expectAnswer({ status, body }, 201, "message next ok stay toRested");
		expect(namesOf(body.stay)).toBe(fields.stay);
		const { id, roomName, roomType, ...stay } = body.stay;
		expect(id).toMatch(UUID_V7);
		expect(roomType).not.toBe("");
		expect(roomName.slice(0, roomType.length)).toBe(roomType);
		expect(roomName.slice(roomType.length)).toMatch(/^ [1-9]\d?$/);
		expect({ ...stay }).toEqual({
			checkedInAt: iso(resort.nowMs),
			checkedOutAt: null,
			relaxationPoints: 0,
			moodOnArrival: "frayed",
			moodOnDeparture: null,
			status: "checked_in",
		} as typeof stay);
		expect(body.message).toBeString();
		expect(body.message).not.toBe("");
		expectNext(answer);
	});

	test("is refused while checked in", async () => {
		const { body } = await checkIn("first");
		const again = await checkIn("second");
		expectRefusal(again, 400, "Already checked in");
		expect((await current()).body.stay).toEqual(body.stay);
	});
});

describe("GET /api/stays/current", () => {
	test("shows the stay that check-in answered", async () => {
		const { body } = await checkIn();
		const { status, body: shown } = await current();
		expect(status).toBe(200);
		expect(namesOf(shown)).toBe("ok stay");
		expect(shown.ok).toBe(true);
		expect(shown.stay).toEqual(body.stay);
	});

	test("is 404 before check-in, after check-out and for others", async () => {
		expectRefusal(await current(), 404, "Not checked in");
		await checkIn();
		expectRefusal(
			await current(await resort.register()),
			404,
			"Not checked in",
		);
		await resort.checkOut(ada);
		expectRefusal(await current(), 404, "Not checked in");
	});
});

describe("POST /api/checkout", () => {
	test("answers the stay, its summary and a farewell", async () => {
		const { stay } = (await checkIn()).body;
		resort.advance(2 * HOUR_MS + 5 * MINUTE_MS);
		const answer = await checkOut({ moodOnDeparture: " rested " });
		const { status, body } = answer;
		expectAnswer({ status, body }, 200, "message next ok stay summary");
		expect(namesOf(body.stay)).toBe(fields.stay);
		expect(body.stay).toEqual({
			...stay,
			checkedOutAt: iso(resort.nowMs),
			moodOnDeparture: "rested",
			status: "checked_out",
		});
		expect(body.summary).toEqual({
			duration: "2 hours 5 minutes",
			activitiesCompleted: 0,
			experiencesCompleted: 0,
			postcardsSent: 0,
			relaxationPoints: 0,
			refreshedStatus: body.summary.refreshedStatus,
			unanswered: 0,
		});
		expect(body.summary.refreshedStatus).not.toBe("");
		expect(body.message).not.toBe("");
		expectNext(answer);
	});

	test("is refused while not checked in", async () => {
		await checkIn();
		await checkOut();
		const again = await checkOut();
		expectRefusal(again, 400, "Not checked in");
		// An agent that repeats it because the answer was lost must not be sent to check in anew.
		expect(again.body.hint).not.toContain("/api/checkin");
		const bob = await resort.register();
		const never = await resort.ask("POST", "/api/checkout", bob);
		expectRefusal(never, 400, "Not checked in");
		// It has no last stay.
		expect(never.body.hint).not.toContain("last");
	});
});

describe("GET /api/stays", () => {
	test("shows open and closed stays, newest first", async () => {
		const startMs = resort.nowMs;
		for (const mood of ["1", "2"]) {
			await checkOut();
			resort.advance(HOUR_MS);
			await checkIn(mood);
			resort.advance(HOUR_MS);
		}
		const { body } = await resort.ask("GET", "/api/stays", ada);
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
});
