import { beforeEach, describe, expect, test } from "bun:test";
import { experienceReflections } from "../../../../src/content/experience-reflections.ts";
import { useCommunity, useGuest } from "../../../support/use-resort.ts";

const context = useCommunity();
const creator = useGuest(context);
const guest = useGuest(context, { name: "Grace" });

describe("POST /api/experiences/{id}/do", () => {
	let id: string;
	beforeEach(async () => {
		({ id } = await context.create(creator, { relaxationPoints: 7 }));
	});

	const act = () => context.ask("POST", `/api/experiences/${id}/do`, guest);

	test("answers with a reflection", async () => {
		const { body } = await act();
		expect(experienceReflections).toContain(body.reflection);
	});

	test.each([
		[[8, 8], 2, "pleasantly unwound"],
		[[8, 9], 1, "pleasantly unwound"],
		[[8, 10], 0, "properly rested"],
		[[8, 10, 1], 0, "properly rested"],
		[[10, 10, 10], 0, "properly rested"],
	])("of %j points lacks %d to be rested: %s", async (worth, toRested, words) => {
		const answered: number[] = [];
		for (const relaxationPoints of worth) {
			const one = await context.create(creator, { relaxationPoints });
			answered.push((await context.complete(guest, one.id)).toRested);
		}
		expect(answered.at(-1)).toBe(toRested);
		const { summary } = await context.checkOut(guest);
		expect(summary.refreshedStatus).toBe(words);
		await context.checkIn(guest);
		expect((await act()).body.toRested).toBe(11);
	});
});
