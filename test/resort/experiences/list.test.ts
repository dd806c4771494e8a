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
	let house: Community;
	let creator: Registered;
	beforeEach(async () => {
		house = new Community();
		creator = await house.guest({ name: "Grace" });
	});
	afterEach(() => house.close());

	const list = (query = "", ask = {}) =>
		house.ask("GET", `/api/experiences${query}`, ask);

	test("is an empty list at first", async () => {
		const { status, body } = await list();
		expect(status).toBe(200);
		expect(body).toMatchObject({ ok: true, experiences: [] });
		expect(namesOf(body)).toBe("experiences ok");
	});

	test("shows each with the contract's fields and its aggregates", async () => {
		const { id } = await house.rated(creator, [5, 4, 4]);
		const { experiences } = (await list()).body;
		expect(experiences.length).toBe(1);
		const shown = first(experiences);
		expect(namesOf(shown)).toBe(communityFields.experience);
		expect(shown).toEqual(await house.see(id));
		expect(shown).toMatchObject({
			avgRating: 4.33,
			totalVotes: 3,
			totalCompletions: 3,
		});
	});

	test("shows no archived ones", async () => {
		await house.create(creator, { name: "Kept" });
		const { id } = await house.rated(creator, [5, 5, 5], { name: "Gone" });
		expect(await house.names()).toEqual(["Gone", "Kept"]);
		await house.archive(creator, id);
		for (const sort of ["rating", "newest", "popular"]) {
			expect(await house.names(`?sort=${sort}`)).toEqual(["Kept"]);
			const inWater = `?sort=${sort}&category=water`;
			expect(await house.names(inWater)).toEqual(["Kept"]);
		}
	});

	test("keeps those of a creator who has left for good", async () => {
		const { id } = await house.create(creator);
		const before = await house.see(id);
		await house.deactivate(creator);
		expect((await list()).body.experiences).toEqual([before]);
		expect(await house.see(id)).toEqual(before);
		const guest = await house.guest();
		await house.complete(guest, id);
		await house.vote(guest, id, 4);
		expect(await house.see(id)).toMatchObject({ avgRating: 4 });
	});

	test("names the creator as it is called at present", async () => {
		const { id } = await house.rated(creator, [5, 5, 5]);
		await house.rename(creator, "Rear Admiral");
		const [listed] = (await list()).body.experiences;
		expect(listed?.creatorName).toBe("Rear Admiral");
		expect((await house.see(id)).creatorName).toBe("Rear Admiral");
		const board = await house.ask("GET", "/api/experiences/leaderboard");
		const leader = first(board.body.leaderboard).experience;
		expect(leader.creatorName).toBe("Rear Admiral");
	});

	test("needs no credential, and ignores a wrong one", async () => {
		await house.create(creator);
		for (const ask of [{}, { key: "nobody's key" }, { session: "nobody's" }]) {
			const { status, body } = await list("", ask);
			expect(status).toBe(200);
			expect(body.experiences.length).toBe(1);
		}
	});

	test("is whole unless a page is asked for", async () => {
		const names = Array.from({ length: 130 }, (_, at) => `Fog ${at}`);
		for (const name of names) await house.create(creator, { name });
		expect(await house.names("?sort=newest")).toEqual(names.toReversed());
		expect((await house.names()).length).toBe(130);
		expect((await house.names("?category=water")).length).toBe(130);
		expect((await house.names("?limit=100")).length).toBe(100);
		expect((await house.names("?offset=120")).length).toBe(10);
	});
});

describe("GET /api/experiences with paging", () => {
	const house = new Community();
	beforeAll(async () => {
		const creator = await house.guest();
		for (const name of ["#1", "#2", "#3", "#4", "#5"]) {
			house.advance(1);
			await house.create(creator, { name });
		}
	});
	afterAll(() => house.close());

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
				expect(await house.names(both)).toEqual(names);
			}
		},
	);

	test.each(pagings)("takes $query: $fits", async ({ query, fits }) => {
		const answer = await house.ask("GET", `/api/experiences?${query}`);
		if (fits) expect(answer.status).toBe(200);
		else expectBrokenBound(answer, query.replace(/=.*/, ""));
	});
});
