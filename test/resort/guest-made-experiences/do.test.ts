import { beforeEach, describe, expect, test } from "bun:test";
import { experienceReflections } from "../../../src/content/experience-reflections.ts";
import { expectAnswer } from "../../support/answers.ts";
import { communityFields } from "../../support/community.ts";
import { expectNext } from "../../support/next-calls.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso, namesOf, UUID_V7 } from "../../support/values.ts";

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
});
