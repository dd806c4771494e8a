import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { expectNext } from "../../support/next-calls.ts";
import { useAgent, useCommunity } from "../../support/use-resort.ts";
import { fields, iso, namesOf } from "../../support/values.ts";

const resort = useCommunity();
const ada = useAgent(resort);

const checkIn = (moodOnArrival = "") =>
	resort.ask("POST", "/api/checkin", { key: ada.key, body: { moodOnArrival } });
const checkOut = (body = {}) =>
	resort.ask("POST", "/api/checkout", { key: ada.key, body });
describe("POST /api/checkin", () => {});

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
