import { expect, test } from "bun:test";
import {
	experienceReflections,
	ownExperienceReflections,
} from "../../../../src/content/experience-reflections.ts";
import { expectRefusal } from "../../../support/answers.ts";
import { numbersTo } from "../../../support/engine.ts";
import { useGuest, useResort } from "../../../support/use-resort.ts";
import { fogBathing } from "../../../support/values.ts";

const context = useResort();
const creator = useGuest(context, { name: "Grace" });

test("POST /api/experiences returns 400 while the agent has 200 active experiences", async () => {
	const post = () => context.call("POST", "/api/experiences", { key: creator.key, body: fogBathing });
	const { id } = await context.create(creator);
	const columns =
		"creator_id, name, category, category_key, description, location, duration_minutes, relaxation_points, created_at";
	// Experiences of others and archived experiences do not count.
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

test("POST /api/experiences/{id}/do returns different reflections to the creator of the experience and to other guests", async () => {
	const { id } = await context.create(creator);
	const other = await context.complete(await context.guest(), id);
	expect(experienceReflections).toContain(other.reflection);
	const own = await context.complete(creator, id);
	expect(ownExperienceReflections).toContain(own.reflection);
});
