import { describe, expect, test } from "bun:test";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { fogBathing } from "../../support/community.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso } from "../../support/values.ts";

const context = useCommunity();
const creator = useGuest(context, { name: "Grace" });

describe("POST /api/experiences", () => {
	const post = (body: object, { key } = creator) =>
		context.ask("POST", "/api/experiences", { key, body });

	test("answers 201 with the experience, which anybody sees like that", async () => {
		context.advance(1234);
		const given = { ...fogBathing, relaxationPoints: 7, maxParticipants: 12 };
		const { status, body } = await post(given);
		expectAnswer({ status, body }, 201, "experience next ok toRested");
		const { id } = body.experience;
		expect<unknown>(body.experience).toEqual({
			...given,
			id,
			creatorId: creator.id,
			creatorName: "Grace",
			createdAt: iso(context.nowMs),
			avgRating: null,
			totalVotes: 0,
			totalCompletions: 0,
		});
		expect(await context.see(id)).toEqual(body.experience);
	});

	test("is refused beside 200 active ones, until one is archived", async () => {
		const { id } = await context.create(creator);
		const columns =
			"creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at";
		const copy = (count: number) =>
			context.rows(
				`WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
				INSERT INTO experiences (id, ${columns}) SELECT 'exp-' || n, ${columns} FROM experiences, numbers WHERE id = '${id}'`,
			);
		// Others' and archived ones do not count.
		await context.create(await context.guest());
		await context.archive(creator, (await context.create(creator)).id);
		await copy(198);
		expect((await post(fogBathing)).status).toBe(201);
		const refused = await post(fogBathing);
		expectRefusal(refused, 400, "You have 200 active experiences already");
		expect(refused.body.hint).toContain("DELETE /api/experiences/{id}");
		await context.archive(creator, id);
		const both = await Promise.all([post(fogBathing), post(fogBathing)]);
		expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
	});
});
