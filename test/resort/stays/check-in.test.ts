import { describe, expect, test } from "bun:test";
import {
	expectBrokenBound,
	expectNext,
	expectRefusal,
	fields,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import {
	brokenBodies,
	emptyBodies,
	largeBody,
	unstorable,
} from "../../support/bodies.ts";
import { textBounds } from "../../support/bounds.ts";
import type { Ask } from "../../support/resort.ts";
import { useAgent, useResort } from "../../support/use-resort.ts";

const resort = useResort();
const ada = useAgent(resort);

const checkIn = (ask: Ask = {}) =>
	resort.ask("POST", "/api/checkin", { key: ada.key, ...ask });
const checkOut = () => resort.ask("POST", "/api/checkout", { key: ada.key });
const current = () => resort.ask("GET", "/api/stays/current", { key: ada.key });

describe("POST /api/checkin", () => {
	test("answers the stay, a welcome and what comes next", async () => {
		const answer = await checkIn({ body: { moodOnArrival: "frayed" } });
		const { status, body } = answer;
		expect(status).toBe(201);
		expect(namesOf(body)).toBe("message next ok stay");
		expect(body.ok).toBe(true);
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

	test("takes the session too", async () => {
		const session = await resort.login(ada.key);
		const { status } = await resort.ask("POST", "/api/checkin", { session });
		expect(status).toBe(201);
	});

	for (const { name, ask } of emptyBodies) {
		test(`takes ${name}`, async () => {
			const { status, body } = await checkIn(ask);
			expect([status, body.stay.moodOnArrival]).toEqual([201, null]);
		});
	}

	for (const { name, ask } of brokenBodies) {
		test(`refuses ${name}`, async () => {
			const answer = await checkIn(ask);
			expectRefusal(answer, 400, answer.body.error);
			expectRefusal(await current(), 404, "Not checked in");
		});
	}

	test("refuses a body over 64 KiB", async () => {
		const answer = await checkIn(largeBody);
		expectRefusal(answer, 413, answer.body.error);
		expectRefusal(await current(), 404, "Not checked in");
	});

	test("is refused while checked in", async () => {
		const { body } = await checkIn({ body: { moodOnArrival: "first" } });
		const again = await checkIn({ body: { moodOnArrival: "second" } });
		expectRefusal(again, 400, "Already checked in");
		expect((await current()).body.stay).toEqual(body.stay);
	});

	test("starts a new stay after check-out", async () => {
		const one = await checkIn();
		await checkOut();
		const other = await checkIn();
		expect(other.status).toBe(201);
		expect(other.body.stay.id).not.toBe(one.body.stay.id);
	});

	for (const [field, max] of [
		["moodOnArrival", 300],
		["roomPreference", 200],
	] as const) {
		test(`takes ${field} of at most ${max} characters`, async () => {
			for (const { value, fits } of textBounds(0, max)) {
				const answer = await checkIn({ body: { [field]: value } });
				if (fits) expect(answer.status).toBe(201);
				else expectBrokenBound(answer, field);
				if (fits) expect((await checkOut()).status).toBe(200);
			}
			const padded = ` ${"a".repeat(max)} `;
			expect((await checkIn({ body: { [field]: padded } })).status).toBe(201);
		});

		test(`refuses ${field} that is no text to store`, async () => {
			for (const value of [5, true, ["calm"], {}, ...unstorable]) {
				const answer = await checkIn({ body: { [field]: value } });
				expectBrokenBound(answer, field);
			}
			expectRefusal(await current(), 404, "Not checked in");
		});
	}

	for (const [mood, kept] of [
		["  calm\n", "calm"],
		["", null],
		["   ", null],
		[null, null],
		["🌴 at last", "🌴 at last"],
	] as const) {
		test(`keeps the mood ${JSON.stringify(mood)} as ${JSON.stringify(kept)}`, async () => {
			const { body } = await checkIn({ body: { moodOnArrival: mood } });
			expect(body.stay.moodOnArrival).toBe(kept);
			expect((await current()).body.stay.moodOnArrival).toBe(kept);
		});
	}

	test("ignores fields that it does not know", async () => {
		const { status, body } = await checkIn({
			body: {
				id: "x",
				roomName: "Penthouse 1",
				relaxationPoints: 999,
				checkedInAt: "2001-01-01T00:00:00.000Z",
				moodOnDeparture: "already gone",
				status: "checked_out",
			},
		});
		expect(status).toBe(201);
		expect(body.stay).toMatchObject({
			relaxationPoints: 0,
			checkedInAt: iso(resort.nowMs),
			moodOnDeparture: null,
		});
		expect(body.stay.id).toMatch(UUID_V7);
		expect(body.stay.roomName).not.toBe("Penthouse 1");
	});
});

describe("GET /api/stays/current", () => {
	test("shows the stay that check-in answered, to key and session", async () => {
		const { body } = await checkIn();
		const session = await resort.login(ada.key);
		for (const credential of [{ key: ada.key }, { session }]) {
			const { status, body: shown } = await resort.ask(
				"GET",
				"/api/stays/current",
				credential,
			);
			expect(status).toBe(200);
			expect(namesOf(shown)).toBe("ok stay");
			expect(shown.ok).toBe(true);
			expect(shown.stay).toEqual(body.stay);
		}
	});

	test("is 404 before check-in, after check-out and for others", async () => {
		expectRefusal(await current(), 404, "Not checked in");
		await checkIn();
		const bob = await resort.register();
		const answer = await resort.ask("GET", "/api/stays/current", {
			key: bob.key,
		});
		expectRefusal(answer, 404, "Not checked in");
		await checkOut();
		expectRefusal(await current(), 404, "Not checked in");
	});
});
