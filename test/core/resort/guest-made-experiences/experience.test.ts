import { expect, test } from "bun:test";
import { expectRefusal } from "../../../support/answers.ts";
import { fogBathing } from "../../../support/community.ts";
import { numbersTo } from "../../../support/engine.ts";
import { useCommunity, useGuest } from "../../../support/use-resort.ts";

const context = useCommunity();
const creator = useGuest(context, { name: "Grace" });

test("an experience is refused beside 200 active ones, until one is archived", async () => {
	const post = () => context.ask("POST", "/api/experiences", { key: creator.key, body: fogBathing });
	const { id } = await context.create(creator);
	const columns =
		"creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at";
	// Others' and archived ones do not count.
	await context.create(await context.guest());
	await context.archive(creator, (await context.create(creator)).id);
	await context.rows(
		`${numbersTo(198)} INSERT INTO experiences (id, ${columns}) SELECT 'exp-' || i, ${columns} FROM experiences, n WHERE id = '${id}'`,
	);
	expect((await post()).status).toBe(201);
	const refused = await post();
	expectRefusal(refused, 400, "You already have 200 active experiences");
	expect(refused.body.hint).toContain("DELETE /api/experiences/{id}");
	await context.archive(creator, id);
	const both = await Promise.all([post(), post()]);
	expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
});

test.each([
	[[1, 1, 2], 1.33],
	[[5, 5, 5], 5],
	[[1, 1, 1, 1, 1, 1, 1, 2], 1.13],
	[[5, 5, 5, 5, 5, 5, 4], 4.86],
])("the average of %p is rounded to %p", async (ratings, average) => {
	const { id } = await context.rated(creator, ratings);
	expect((await context.see(id)).avgRating).toBe(average);
});
