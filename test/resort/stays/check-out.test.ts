import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import {
	expectAnswer,
	expectNext,
	expectRefusal,
	fields,
	first,
	iso,
	namesOf,
} from "../../support/answers.ts";
import { useGuest, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useGuest(resort);

const checkIn = (body = {}) =>
	resort.ask("POST", "/api/checkin", { key: ada.key, body });
const checkOut = (body = {}) =>
	resort.ask("POST", "/api/checkout", { key: ada.key, body });
const act = (id: string) => resort.ask("POST", `/api/activities/${id}/do`, ada);

describe("POST /api/checkout", () => {
	test("answers the stay, its summary and a farewell", async () => {
		const current = await resort.ask("GET", "/api/stays/current", ada);
		resort.advance(2 * HOUR_MS + 5 * MINUTE_MS);
		const answer = await checkOut({ moodOnDeparture: " rested " });
		const { status, body } = answer;
		expectAnswer({ status, body }, 200, "message next ok stay summary");
		expect(namesOf(body.stay)).toBe(fields.stay);
		expect(body.stay).toEqual({
			...current.body.stay,
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
		});
		expect(body.summary.refreshedStatus).not.toBe("");
		expect(body.message).not.toBe("");
		expectNext(answer);
	});

	test("is refused while not checked in", async () => {
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

	test("sums up this stay alone", async () => {
		const [one, other] = [first(activities), first(activities.slice(1))];
		await act(one.id);
		await act(other.id);
		const points = one.relaxationPoints + other.relaxationPoints;
		const { body } = await checkOut();
		expect(body.summary).toMatchObject({
			activitiesCompleted: 2,
			experiencesCompleted: 0,
			relaxationPoints: points,
		});
		expect(body.stay.relaxationPoints).toBe(points);
		await checkIn();
		await act(one.id);
		const { summary } = (await checkOut()).body;
		expect(summary).toMatchObject({
			activitiesCompleted: 1,
			relaxationPoints: one.relaxationPoints,
		});
	});

	test("keeps the mood of the arrival", async () => {
		await checkOut();
		await checkIn({ moodOnArrival: "frayed" });
		const answer = await checkOut({
			moodOnDeparture: "mended",
			moodOnArrival: "never frayed",
		});
		expect(answer.body.stay).toMatchObject({
			moodOnArrival: "frayed",
			moodOnDeparture: "mended",
		});
	});
});
