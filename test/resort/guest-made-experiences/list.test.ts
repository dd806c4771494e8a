import { describe, expect, test } from "bun:test";
import { expectBrokenBound } from "../../support/answers.ts";
import { communityFields } from "../../support/community.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { first, namesOf } from "../../support/values.ts";

const context = useCommunity();
const creator = useGuest(context, { name: "Grace" });

const list = (query = "") => context.ask("GET", `/api/experiences${query}`);

describe("GET /api/experiences", () => {
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
});

describe("GET /api/experiences?sort=", () => {
	/** Makes an experience a millisecond after the last one. */
	const make = async (name: string, ratings: readonly number[] = []) => {
		context.advance(1);
		const { id } = await context.create(creator, { name });
		await context.rate(id, ratings);
		return id;
	};

	test("sort=rating: average, then votes, then newest; unrated ones last", async () => {
		await make("unrated, older");
		await make("four by two, older", [5, 3]);
		await make("one by one", [1]);
		await make("four by three", [4, 4, 4]);
		await make("five by one", [5]);
		await make("four by two, newer", [4, 4]);
		const popular = await make("unrated, newer");
		await make("four and a third", [5, 4, 4]);
		for (let times = 0; times < 5; times++) {
			await context.complete(creator, popular);
		}
		const expected = [
			"five by one",
			"four and a third",
			"four by three",
			"four by two, newer",
			"four by two, older",
			"one by one",
			"unrated, newer",
			"unrated, older",
		];
		expect(await context.names("?sort=rating")).toEqual(expected);
		expect(await context.names()).toEqual(expected);
		expect(await context.names("?category=water")).toEqual(expected);
	});

	test("sort=rating goes by the average itself, not by its two decimals", async () => {
		const votes = (count: number, sum: number) =>
			Array.from({ length: count }, (_, at) => (at < sum - 3 * count ? 4 : 3));
		// 26/7 is 3.7143 and 63/17 is 3.7059.
		const higher = await make("by seven", votes(7, 26));
		const lower = await make("by seventeen", votes(17, 63));
		expect((await context.see(higher)).avgRating).toBe(3.71);
		expect((await context.see(lower)).avgRating).toBe(3.71);
		expect(await context.names()).toEqual(["by seven", "by seventeen"]);
	});

	test("sort=rating holds equal fractions for equal", async () => {
		await make("13 in 3", [5, 4, 4]);
		await make("26 in 6", [5, 5, 4, 4, 4, 4]);
		await make("13 in 3 again", [4, 4, 5]);
		const expected = ["26 in 6", "13 in 3 again", "13 in 3"];
		expect(await context.names()).toEqual(expected);
	});

	test("sort=newest: creation, and nothing else", async () => {
		await make("first", [5, 5, 5]);
		const second = await make("second");
		await make("third", [1]);
		await context.complete(creator, second);
		const expected = ["third", "second", "first"];
		expect(await context.names("?sort=newest")).toEqual(expected);
		const inWater = "?sort=newest&category=water";
		expect(await context.names(inWater)).toEqual(expected);
	});

	test("sort=popular: completions, then newest", async () => {
		const times = { once: 1, never: 0, thrice: 3, "once again": 1, twice: 2 };
		for (const [name, count] of Object.entries(times)) {
			const id = await make(name);
			for (let done = 0; done < count; done++) {
				await context.complete(creator, id);
			}
		}
		await make("never again");
		const expected = [
			"thrice",
			"twice",
			"once again",
			"once",
			"never again",
			"never",
		];
		expect(await context.names("?sort=popular")).toEqual(expected);
		const inWater = "?sort=popular&category=water";
		expect(await context.names(inWater)).toEqual(expected);
	});

	test.each(["rating", "newest", "popular"])(
		"sort=%s puts the later made of one moment first",
		async (sort) => {
			const names = ["1st", "2nd", "3rd", "4th"];
			for (const name of names) await context.create(creator, { name });
			expect(await context.names(`?sort=${sort}`)).toEqual(names.toReversed());
		},
	);

	test.each([
		"sort=",
		"sort",
		"sort=Rating",
		"sort=oldest",
		"sort=rating,newest",
		"sort=1",
		"sort=newest&sort=oldest",
	])("is 400 for %s", async (query) => {
		expectBrokenBound(await list(`?${query}`), "sort");
	});
});
