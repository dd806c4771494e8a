import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	test,
} from "bun:test";
import { expectBrokenBound, first, namesOf } from "../../support/answers.ts";
import { Community, communityFields } from "../../support/community.ts";
import { pages, pagings } from "../../support/paging.ts";
import type { Registered } from "../../support/resort.ts";

describe("GET /api/experiences", () => {
	let context: Community;
	let creator: Registered;
	beforeEach(async () => {
		context = new Community();
		creator = await context.guest({ name: "Grace" });
	});
	afterEach(() => context.close());

	const list = (query = "", ask = {}) =>
		context.ask("GET", `/api/experiences${query}`, ask);

	test("is an empty list at first", async () => {
		const { status, body } = await list();
		expect(status).toBe(200);
		expect(body).toMatchObject({ ok: true, experiences: [] });
		expect(namesOf(body)).toBe("experiences ok total");
	});

	test("shows each with the contract's fields and its aggregates", async () => {
		const { id } = await context.rated(creator, [5, 4, 4]);
		const { experiences } = (await list()).body;
		expect(experiences.length).toBe(1);
		const shown = first(experiences);
		expect(namesOf(shown)).toBe(communityFields.experience);
		expect(shown).toEqual(await context.see(id));
		expect(shown).toMatchObject({
			avgRating: 4.33,
			totalVotes: 3,
			totalCompletions: 3,
		});
	});

	test("shows no archived ones", async () => {
		await context.create(creator, { name: "Kept" });
		const { id } = await context.rated(creator, [5, 5, 5], { name: "Gone" });
		expect(await context.names()).toEqual(["Gone", "Kept"]);
		await context.archive(creator, id);
		for (const sort of ["rating", "newest", "popular"]) {
			expect(await context.names(`?sort=${sort}`)).toEqual(["Kept"]);
			const inWater = `?sort=${sort}&category=water`;
			expect(await context.names(inWater)).toEqual(["Kept"]);
		}
	});

	test("keeps those of a creator who has left for good", async () => {
		const { id } = await context.create(creator);
		const before = await context.see(id);
		await context.deactivate(creator);
		expect((await list()).body.experiences).toEqual([before]);
		expect(await context.see(id)).toEqual(before);
		const guest = await context.guest();
		await context.complete(guest, id);
		await context.vote(guest, id, 4);
		expect(await context.see(id)).toMatchObject({ avgRating: 4 });
	});

	test("names the creator as it is called at present", async () => {
		const { id } = await context.rated(creator, [5, 5, 5]);
		await context.rename(creator, "Rear Admiral");
		const [listed] = (await list()).body.experiences;
		expect(listed?.creatorName).toBe("Rear Admiral");
		expect((await context.see(id)).creatorName).toBe("Rear Admiral");
		const board = await context.ask("GET", "/api/experiences/leaderboard");
		const leader = first(board.body.leaderboard).experience;
		expect(leader.creatorName).toBe("Rear Admiral");
	});

	test("needs no credential, and ignores a wrong one", async () => {
		await context.create(creator);
		for (const ask of [{}, { key: "nobody's key" }, { session: "nobody's" }]) {
			const { status, body } = await list("", ask);
			expect(status).toBe(200);
			expect(body.experiences.length).toBe(1);
		}
	});

	test("is whole unless a page is asked for", async () => {
		const names = Array.from({ length: 130 }, (_, at) => `Fog ${at}`);
		for (const name of names) await context.create(creator, { name });
		expect(await context.names("?sort=newest")).toEqual(names.toReversed());
		expect((await context.names()).length).toBe(130);
		expect((await context.names("?category=water")).length).toBe(130);
		expect((await context.names("?limit=100")).length).toBe(100);
		expect((await context.names("?offset=120")).length).toBe(10);
	});
});

describe("GET /api/experiences with paging", () => {
	const context = new Community();
	beforeAll(async () => {
		const creator = await context.guest();
		for (const name of ["#1", "#2", "#3", "#4", "#5"]) {
			context.advance(1);
			await context.create(creator, { name });
		}
	});
	afterAll(() => context.close());

	test.each(pages)(
		"shows $shown of five for $query",
		async ({ query, shown }) => {
			const names = shown.map((number) => `#${number}`);
			for (const more of [
				"",
				"sort=newest",
				"sort=popular",
				"category=water",
			]) {
				const both = query === "" ? `?${more}` : `${query}&${more}`;
				expect(await context.names(both)).toEqual(names);
			}
		},
	);

	test.each(pagings)("takes $query: $fits", async ({ query, fits }) => {
		const answer = await context.ask("GET", `/api/experiences?${query}`);
		if (fits) expect(answer.status).toBe(200);
		else expectBrokenBound(answer, query.replace(/=.*/, ""));
	});
});
