import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { experienceReflections } from "../../../src/content/experience-reflections.ts";
import {
	expectBrokenBound,
	expectNext,
	expectRefusal,
	first,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { emptyBodies, unstorable } from "../../support/bodies.ts";
import { textBounds } from "../../support/bounds.ts";
import { Community, communityFields } from "../../support/community.ts";
import type { Ask, Registered } from "../../support/resort.ts";

describe("POST /api/experiences/{id}/do", () => {
	let context: Community;
	let creator: Registered;
	let guest: Registered;
	let id: string;
	beforeEach(async () => {
		context = new Community();
		creator = await context.guest();
		guest = await context.guest();
		({ id } = await context.create(creator, { relaxationPoints: 7 }));
	});
	afterEach(() => context.close());

	const act = (ask: Ask = {}) =>
		context.ask("POST", `/api/experiences/${id}/do`, {
			key: guest.key,
			...ask,
		});

	test("answers 201 with the experience, the log's entry, the points and a reflection", async () => {
		context.advance(5);
		const answer = await act({ body: { notes: " damp " } });
		const { status, body } = answer;
		expect(status).toBe(201);
		expect(namesOf(body)).toBe(
			"experience log next ok reflection relaxationPoints toRested",
		);
		expect(body.ok).toBe(true);
		expect(namesOf(body.experience)).toBe(communityFields.experience);
		expect<unknown>(body.experience).toEqual(await context.see(id));
		expect(body.experience.totalCompletions).toBe(1);
		expect(namesOf(body.log)).toBe("id notes startedAt");
		expect(body.log.id).toMatch(UUID_V7);
		expect(body.log.startedAt).toBe(iso(context.nowMs));
		expect(body.log.notes).toBe("damp");
		expect(body.relaxationPoints).toBe(7);
		expect(body.toRested).toBe(11);
		expect(experienceReflections).toContain(body.reflection);
		expectNext(answer);
	});

	test.each([
		[[8, 8], 2, "pleasantly unwound"],
		[[8, 9], 1, "pleasantly unwound"],
		[[8, 10], 0, "properly rested"],
		[[8, 10, 1], 0, "properly rested"],
		[[10, 10, 10], 0, "properly rested"],
	])(
		"of %j points lacks %d to be rested: %s",
		async (worth, toRested, words) => {
			let told: number | undefined;
			for (const relaxationPoints of worth) {
				const one = await context.create(creator, { relaxationPoints });
				({ toRested: told } = await context.complete(guest, one.id));
			}
			expect(told).toBe(toRested);
			const { summary } = await context.checkOut(guest);
			expect(summary.refreshedStatus).toBe(words);
			await context.ask("POST", "/api/checkin", guest);
			expect((await act()).body.toRested).toBe(11);
		},
	);

	test("adds its points to the stay and counts a completion each time", async () => {
		const other = await context.create(creator, { relaxationPoints: 10 });
		expect((await act()).body.relaxationPoints).toBe(7);
		expect((await context.complete(guest, other.id)).relaxationPoints).toBe(17);
		const { body } = await act();
		expect(body.relaxationPoints).toBe(24);
		expect(body.experience.totalCompletions).toBe(2);
		expect((await context.see(other.id)).totalCompletions).toBe(1);
		const stay = await context.ask("GET", "/api/stays/current", guest);
		expect(stay.body.stay.relaxationPoints).toBe(24);
		const others = await context.ask("GET", "/api/stays/current", creator);
		expect(others.body.stay.relaxationPoints).toBe(0);
	});

	test("is told in the activity log with the experience's name and category", async () => {
		await context.complete(guest, id, { notes: "first" });
		context.advance(1);
		await act();
		const { body } = await context.ask("GET", "/api/activities/log", guest);
		const stay = await context.ask("GET", "/api/stays/current", guest);
		const common = {
			stayId: stay.body.stay.id,
			activityId: null,
			experienceId: id,
			activityName: "Fog Bathing",
			activityCategory: "water",
			relaxationPoints: 7,
		};
		expect<unknown>(body.log).toEqual([
			{
				...common,
				notes: null,
				startedAt: iso(context.nowMs),
				id: expect.anything(),
			},
			{
				...common,
				notes: "first",
				startedAt: iso(context.nowMs - 1),
				id: expect.anything(),
			},
		]);
		const creators = await context.ask("GET", "/api/activities/log", creator);
		expect<unknown>(creators.body.log).toEqual([]);
	});

	test("takes one's own, and more guests than take part at most", async () => {
		const { id: small } = await context.create(creator, { maxParticipants: 1 });
		for (const agent of [creator, guest]) await context.complete(agent, small);
		expect((await context.see(small)).totalCompletions).toBe(2);
	});

	test("does not wait for the duration to pass", async () => {
		const { id: long } = await context.create(creator, {
			durationMinutes: 480,
		});
		await context.complete(guest, long);
		expect(
			(await context.complete(guest, long)).experience.totalCompletions,
		).toBe(2);
	});

	test("needs a stay", async () => {
		await context.checkOut(guest);
		expectRefusal(await act(), 400, "Not checked in");
		const stranger = await context.register();
		expectRefusal(await act({ key: stranger.key }), 400, "Not checked in");
		expect((await context.see(id)).totalCompletions).toBe(0);
	});

	test("takes the session cookie; nothing is 401", async () => {
		const path = `/api/experiences/${id}/do`;
		const session = await context.login(guest.key);
		expect((await context.ask("POST", path, { session })).status).toBe(201);
		const bad = { body: { notes: 1 } };
		expectRefusal(await context.ask("POST", path, bad), 401, "Unauthorized");
	});

	test("takes every body that says nothing", async () => {
		for (const { ask, name } of emptyBodies) {
			const { status, body } = await act(ask);
			expect(status, name).toBe(201);
			expect(body.log.notes).toBeNull();
		}
		for (const notes of [null, "", "  \n"]) {
			const { status, body } = await act({ body: { notes } });
			expect(status).toBe(201);
			expect(body.log.notes).toBeNull();
		}
	});

	test("takes notes of up to 500 characters", async () => {
		for (const { value, fits } of textBounds(0, 500)) {
			const answer = await act({ body: { notes: value } });
			if (fits) expect(answer.body.log.notes).toBe(value || null);
			else expectBrokenBound(answer, "notes");
		}
		for (const notes of [...unstorable, 7, true, ["calm"], {}]) {
			expectBrokenBound(await act({ body: { notes } }), "notes");
		}
		const log = await context.ask("GET", "/api/activities/log", guest);
		const stored = first<{ notes: string | null }>(log.body.log).notes ?? "";
		expect([...stored].length).toBe(500);
	});
});
