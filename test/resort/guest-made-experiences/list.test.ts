import { describe, expect, test } from "bun:test";
import { expectBrokenBound } from "../../support/answers.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

const context = useCommunity();
const creator = useGuest(context, { name: "Grace" });

const list = (query = "") => context.ask("GET", `/api/experiences${query}`);

describe("GET /api/experiences?sort=", () => {
	/** Makes an experience a millisecond after the last one. */
	const make = async (name: string, ratings: readonly number[] = []) => {
		context.advance(1);
		const { id } = await context.create(creator, { name });
		await context.rate(id, ratings);
		return id;
	};

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
