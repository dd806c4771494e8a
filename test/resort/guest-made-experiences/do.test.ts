import { beforeEach, describe, expect, test } from "bun:test";
import { experienceReflections } from "../../../src/content/experience-reflections.ts";
import { MINUTE_MS } from "../../../src/lib/clock.ts";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { communityFields } from "../../support/community.ts";
import { expectNext } from "../../support/next-calls.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { first, iso, namesOf, UUID_V7 } from "../../support/values.ts";

const context = useCommunity();
const creator = useGuest(context);
const guest = useGuest(context, { name: "Grace" });

const checkIn = () => context.ask("POST", "/api/checkin", guest);

describe("POST /api/experiences/{id}/do", () => {
	let id: string;
	beforeEach(async () => {
		({ id } = await context.create(creator, { relaxationPoints: 7 }));
	});

	const act = ({ key } = guest, body = {}) =>
		context.ask("POST", `/api/experiences/${id}/do`, { key, body });

	test("answers 201 with the experience, the log's entry, the points and a reflection", async () => {
		context.advance(5);
		const answer = await act(guest, { notes: " damp " });
		const { status, body } = answer;
		expectAnswer(
			{ status, body },
			201,
			"experience log next ok reflection relaxationPoints toRested",
		);
		expect(namesOf(body.experience)).toBe(communityFields.experience);
		expect<unknown>(body.experience).toEqual(await context.see(id));
		expect(body.experience.totalCompletions).toBe(1);
		expect<unknown>(body.log).toEqual({
			id: expect.stringMatching(UUID_V7),
			startedAt: iso(context.nowMs),
			notes: "damp",
		});
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
			const answered: number[] = [];
			for (const relaxationPoints of worth) {
				const one = await context.create(creator, { relaxationPoints });
				answered.push((await context.complete(guest, one.id)).toRested);
			}
			expect(answered.at(-1)).toBe(toRested);
			const { summary } = await context.checkOut(guest);
			expect(summary.refreshedStatus).toBe(words);
			await checkIn();
			expect((await act()).body.toRested).toBe(11);
		},
	);

	test("is for everybody, at once and again, whatever the duration and the number of participants", async () => {
		const { id: long } = await context.create(creator, {
			maxParticipants: 1,
			durationMinutes: 480,
		});
		for (const agent of [creator, guest, guest]) {
			await context.complete(agent, long);
		}
		expect((await context.see(long)).totalCompletions).toBe(3);
	});

	test("is in the activity log with the experience's name and category", async () => {
		await context.complete(guest, id, { notes: "first" });
		context.advance(1);
		await act();
		const { body } = await context.ask("GET", "/api/activities/log", guest);
		const stay = await context.ask("GET", "/api/stays/current", guest);
		const common = {
			id: expect.anything(),
			stayId: stay.body.stay.id,
			activityId: null,
			experienceId: id,
			activityName: "Fog Bathing",
			activityCategory: "water",
			relaxationPoints: 7,
		};
		expect<unknown>(body.log).toEqual([
			{ ...common, notes: null, startedAt: iso(context.nowMs) },
			{ ...common, notes: "first", startedAt: iso(context.nowMs - 1) },
		]);
		const creators = await context.ask("GET", "/api/activities/log", creator);
		expect<unknown>(creators.body.log).toEqual([]);
	});

	test("needs a stay", async () => {
		await context.checkOut(guest);
		expectRefusal(await act(), 400, "Not checked in");
		const stranger = await context.register();
		expectRefusal(await act(stranger), 400, "Not checked in");
		expect((await context.see(id)).totalCompletions).toBe(0);
	});
});

describe("what a guest did", () => {
	/** What the guest's status, the lobby and the statuses of many show; all the same. */
	const current = async () => {
		const path = `/api/agents/${guest.id}/status`;
		const { stay } = (await context.ask("GET", path)).body;
		const { guests } = (await context.ask("GET", "/api/lobby")).body;
		const many = await context.ask("GET", `/api/agents/status?ids=${guest.id}`);
		const shown = stay.currentActivity;
		const inLobby = guests.find(({ id }) => id === guest.id);
		expect(inLobby?.currentActivity).toEqual(shown);
		expect(first(many.body.statuses).stay?.currentActivity).toEqual(shown);
		return shown;
	};

	const does = async (name: string, durationMinutes: number) => {
		const { id } = await context.create(creator, { name, durationMinutes });
		await context.complete(guest, id);
		const endsAt = iso(context.nowMs + durationMinutes * MINUTE_MS);
		return { id, name, startedAt: iso(context.nowMs), endsAt };
	};

	test("is its current activity until the duration has passed, also when archived", async () => {
		expect(await current()).toBeNull();
		const { id, ...fog } = await does("Fog Bathing", 20);
		expect(await current()).toEqual(fog);
		await context.archive(creator, id);
		context.advance(20 * MINUTE_MS - 1);
		expect(await current()).toEqual(fog);
		context.advance(1);
		expect(await current()).toBeNull();
	});
});
