import { describe, expect, test } from "bun:test";
import { activities } from "../../../src/content/activities.ts";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { expectNext } from "../../support/next-calls.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { fields, first, iso, namesOf, UUID_V7 } from "../../support/values.ts";

const [one, other] = [first(activities), first(activities.slice(1))];

const resort = useCommunity();
const ada = useGuest(resort);

const act = (notes?: string, id = one.id) =>
	resort.ask("POST", `/api/activities/${id}/do`, {
		key: ada.key,
		body: { notes },
	});
const currentStay = async () =>
	(await resort.ask("GET", "/api/stays/current", ada)).body.stay;

describe("GET /api/activities", () => {
	const catalogue = (query = "") =>
		resort.ask("GET", `/api/activities${query}`);

	test("shows the catalogue with the contract's fields alone", async () => {
		const { status, body, text } = await catalogue();
		expectAnswer({ status, body }, 200, "activities ok");
		expect(body.activities).not.toBeEmpty();
		for (const activity of body.activities) {
			expect(namesOf(activity)).toBe(fields.activity);
			const { durationMinutes, relaxationPoints, maxParticipants, ...texts } =
				activity;
			for (const count of [
				durationMinutes,
				relaxationPoints,
				maxParticipants,
			]) {
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

	test("is always whole and in its own order", async () => {
		const { body } = await catalogue();
		for (const query of ["", "?limit=1", "?offset=5", "?limit=0&page=x"]) {
			expect((await catalogue(query)).body).toEqual(body);
		}
	});
});

describe("POST /api/activities/{id}/do", () => {
	test("answers the activity, its log entry, the total and a reflection", async () => {
		resort.advance(1234);
		const answer = await act("quiet");
		const { status, body } = answer;
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
		expectNext(answer);
	});

	test("adds up the points of every activity at once, however long each lasts", async () => {
		let total = 0;
		for (const { reflections, ...info } of activities) {
			const { status, body } = await act("", info.id);
			total += info.relaxationPoints;
			expect(status).toBe(201);
			expect(body.activity).toEqual(info);
			expect(body.relaxationPoints).toBe(total);
			expect(reflections).toContain(body.reflection);
		}
		expect((await currentStay()).relaxationPoints).toBe(total);
	});

	test("draws different reflections", async () => {
		const drawn = new Set<string>();
		for (let time = 0; time < 60; time++) {
			drawn.add((await act()).body.reflection);
		}
		expect(drawn.size).toBeGreaterThan(1);
	});

	test("needs a stay", async () => {
		await resort.checkOut(ada);
		expectRefusal(await act(), 400, "Not checked in");
		const { body } = await resort.ask("GET", "/api/activities/log", ada);
		expect(body.log).toHaveLength(0);
	});
});

describe("GET /api/activities/log", () => {
	const list = (agent: Registered = ada) =>
		resort.ask("GET", "/api/activities/log", agent);

	test("shows each entry as it was answered, to its agent alone", async () => {
		const done = await act("1", other.id);
		const { body } = await list();
		expect(namesOf(body)).toBe("log ok total");
		expect(body.ok).toBe(true);
		expect(body.log.map(namesOf)).toEqual([fields.logEntry]);
		expect(body.log[0]).toEqual({
			id: done.body.log.id,
			stayId: (await currentStay()).id,
			activityId: other.id,
			experienceId: null,
			activityName: other.name,
			activityCategory: other.category,
			startedAt: iso(resort.nowMs),
			notes: "1",
			relaxationPoints: other.relaxationPoints,
		});
		const bob = await resort.guest();
		expect((await list(bob)).body.log).toHaveLength(0);
	});
});
