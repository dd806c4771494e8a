import { beforeEach, describe, expect, test } from "bun:test";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { communityFields, fogBathing } from "../../support/community.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso, namesOf, UUID_V7 } from "../../support/values.ts";

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

	test("draws ids that are exp- and a UUID", async () => {
		const { id } = await context.create(creator);
		expect(id).toStartWith("exp-");
		expect(id.slice("exp-".length)).toMatch(UUID_V7);
		expect((await context.create(creator)).id).not.toBe(id);
	});

	test.each([
		["absent", {}],
		["null", { relaxationPoints: null, maxParticipants: null }],
	])(
		"sets 3 points and any number of guests when both are %s",
		async (_, more) => {
			const { status, body } = await post({ ...fogBathing, ...more });
			expect(status).toBe(201);
			expect(body.experience).toMatchObject({
				relaxationPoints: 3,
				maxParticipants: null,
			});
		},
	);

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

	test("needs a stay", async () => {
		const stranger = await context.register();
		expectRefusal(await post(fogBathing, stranger), 400, "Not checked in");
		await context.checkOut(creator);
		expectRefusal(await post(fogBathing), 400, "Not checked in");
		expect(await context.names()).toEqual([]);
	});
});

describe("an experience", () => {
	let id: string;
	let path: string;
	beforeEach(async () => {
		({ id } = await context.create(creator));
		path = `/api/experiences/${id}`;
	});

	test("is shown with its aggregates", async () => {
		await context.rate(id, [5, 4, 4]);
		await context.complete(creator, id);
		const { status, body } = await context.ask("GET", path);
		expectAnswer({ status, body }, 200, "experience ok");
		expect(namesOf(body.experience)).toBe(communityFields.experience);
		expect(body.experience).toMatchObject({
			id,
			creatorId: creator.id,
			creatorName: "Grace",
			avgRating: 4.33,
			totalVotes: 3,
			totalCompletions: 4,
		});
	});

	test.each([
		[[1, 1, 2], 1.33],
		[[2, 2, 1], 1.67],
		[[1, 2], 1.5],
		[[5, 5, 5], 5],
		[[1, 1, 1, 1, 1, 1, 1, 2], 1.13],
		[[5, 5, 5, 5, 5, 5, 4], 4.86],
		[[4, 3, 3, 3, 3, 3, 3], 3.14],
	])("rounds the average of %p to %p", async (ratings, average) => {
		await context.rate(id, ratings);
		expect((await context.see(id)).avgRating).toBe(average);
	});

	const archive = ({ key } = creator) => context.ask("DELETE", path, { key });

	test("is archived by DELETE, that one alone, also without a stay", async () => {
		await context.create(creator, { name: "Kept" });
		await context.checkOut(creator);
		const { status, body } = await archive();
		expect(status).toBe(200);
		expect<unknown>(body).toEqual({
			ok: true,
			experience: { id, status: "archived" },
		});
		expectRefusal(await context.ask("GET", path), 404, "Experience not found");
		expect(await context.names()).toEqual(["Kept"]);
	});
});
