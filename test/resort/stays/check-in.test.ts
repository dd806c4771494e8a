import { describe, expect, test } from "bun:test";
import {
	expectAnswer,
	expectNext,
	expectRefusal,
	fields,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { useAgent, useCommunity } from "../../support/use-resort.ts";

const resort = useCommunity();
const ada = useAgent(resort);

const checkIn = (moodOnArrival = "") =>
	resort.ask("POST", "/api/checkin", { key: ada.key, body: { moodOnArrival } });
const current = (agent = ada) => resort.ask("GET", "/api/stays/current", agent);

describe("POST /api/checkin", () => {
	test("answers the stay, a welcome and what comes next", async () => {
		const answer = await checkIn("frayed");
		const { status, body } = answer;
		expectAnswer({ status, body }, 201, "message next ok stay");
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
