import { describe, expect, test } from "bun:test";
import { communityFields } from "../../support/community.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { first, namesOf } from "../../support/values.ts";

const PATH = "/api/experiences/leaderboard";

describe("GET /api/experiences/leaderboard", () => {
	const context = useCommunity();
	const creator = useGuest(context);

	const make = async (name: string, ratings: readonly number[], more = {}) => {
		context.advance(1);
		return (await context.rated(creator, ratings, { name, ...more })).id;
	};

	test("shows a rank and the experience with the contract's fields", async () => {
		const id = await make("Fog", [5, 5, 3]);
		const { leaderboard } = (await context.ask("GET", PATH)).body;
		expect(leaderboard.length).toBe(1);
		const entry = first(leaderboard);
		expect(namesOf(entry)).toBe("experience rank");
		expect(namesOf(entry.experience)).toBe(communityFields.experience);
		expect(entry).toEqual({ rank: 1, experience: await context.see(id) });
	});

	test("takes only those with at least 3 votes", async () => {
		await make("none", []);
		await make("two", [5, 5]);
		await make("three", [1, 1, 1]);
		await make("four", [2, 2, 2, 2]);
		await make("three in the air", [3, 3, 3], { category: "air" });
		const water = [
			[1, "four"],
			[2, "three"],
		];
		expect<unknown>(await context.leaders("?category=Water")).toEqual(water);
		const all = [
			[1, "three in the air"],
			[2, "four"],
			[3, "three"],
		];
		expect<unknown>(await context.leaders()).toEqual(all);
	});

	test("ranks by average, then votes, then newest, without gaps", async () => {
		await make("four by three, older", [4, 4, 4]);
		await make("five by two", [5, 5]);
		await make("four by four", [4, 4, 4, 4]);
		await make("two", [1, 2, 3]);
		await make("five", [5, 5, 5]);
		await make("four by three, newer", [3, 4, 5]);
		expect(await context.leaders()).toEqual([
			[1, "five"],
			[2, "four by four"],
			[3, "four by three, newer"],
			[4, "four by three, older"],
			[5, "two"],
		]);
		const byRating = await context.names("?sort=rating");
		const leaders = (await context.leaders()).map(([, name]) => name);
		expect(byRating.filter((name) => name !== "five by two")).toEqual(leaders);
	});

	test("shows 20 without a limit, and up to 100", async () => {
		for (let count = 0; count < 101; count++) await make("Fog", [4, 4, 4]);
		const ranks = async (query: string) =>
			(await context.leaders(query)).map(([rank]) => rank);
		const upTo = (last: number) =>
			Array.from({ length: last }, (_, at) => at + 1);
		expect(await ranks("")).toEqual(upTo(20));
		expect(await ranks("?limit=1")).toEqual([1]);
		expect(await ranks("?limit=21")).toEqual(upTo(21));
		expect(await ranks("?limit=100")).toEqual(upTo(100));
		expect(await ranks("?category=water")).toEqual(upTo(20));
		expect(await ranks("?category=water&limit=100")).toEqual(upTo(100));
		expect(await ranks("?limit=2&offset=1")).toEqual([1, 2]);
	});
});
