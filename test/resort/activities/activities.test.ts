import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { expectAnswer } from "../../support/answers.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { fields, first, iso, namesOf, UUID_V7 } from "../../support/values.ts";

const one = first(activities);

const resort = useCommunity();
const ada = useGuest(resort);

test("GET /api/activities shows the catalogue with the contract's fields alone", async () => {
	const { status, body, text } = await resort.ask("GET", "/api/activities");
	expectAnswer({ status, body }, 200, "activities ok");
	expect(body.activities).not.toBeEmpty();
	for (const activity of body.activities) {
		expect(namesOf(activity)).toBe(fields.activity);
		const { durationMinutes, relaxationPoints, maxParticipants, ...texts } =
			activity;
		for (const count of [durationMinutes, relaxationPoints, maxParticipants]) {
			expect(count).toBeInteger();
			expect(count).toBeGreaterThan(0);
		}
		for (const text of Object.values(texts)) expect(text.trim()).not.toBe("");
	}
	expect(text).not.toContain("reflection");
	const ids = body.activities.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
	for (const id of ids) expect(encodeURIComponent(id)).toBe(id);
});

describe("POST /api/activities/{id}/do", () => {
	const act = () =>
		resort.ask("POST", `/api/activities/${one.id}/do`, {
			key: ada.key,
			body: { notes: "quiet" },
		});

	test("answers the activity, its log entry, the total and a reflection", async () => {
		resort.advance(1234);
		const { status, body } = await act();
		expectAnswer(
			{ status, body },
			201,
			"activity log next ok reflection relaxationPoints toRested",
		);
		const { reflections, ...info } = one;
		expect(body.activity).toEqual(info);
		expect<unknown>(body.log).toEqual({
			id: expect.stringMatching(UUID_V7),
			startedAt: iso(resort.nowMs),
			notes: "quiet",
		});
		expect(body.relaxationPoints).toBe(one.relaxationPoints);
		expect(body.toRested).toBe(18 - one.relaxationPoints);
		expect(reflections).toContain(body.reflection);
	});

	test("draws different reflections", async () => {
		const drawn = new Set<string>();
		for (let time = 0; time < 60; time++) {
			drawn.add((await act()).body.reflection);
		}
		expect(drawn.size).toBeGreaterThan(1);
	});
});
