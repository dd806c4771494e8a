import { expect, test } from "bun:test";
import { useGuest, useResort } from "../../../support/use-resort.ts";

const context = useResort();
const creator = useGuest(context, { name: "Grace" });

const make = async (name: string, ratings: readonly number[] = []) => {
	context.advance(1);
	const { id } = await context.create(creator, { name });
	await context.rate(id, ratings);
	return id;
};

test("sort=rating compares exact averages, not rounded ones", async () => {
	const votes = (count: number, sum: number) =>
		Array.from({ length: count }, (_, at) => (at < sum - 3 * count ? 4 : 3));
	// 26/7 is 3.7143 and 63/17 is 3.7059.
	const higher = await make("by seven", votes(7, 26));
	const lower = await make("by seventeen", votes(17, 63));
	expect((await context.see(higher)).avgRating).toBe(3.71);
	expect((await context.see(lower)).avgRating).toBe(3.71);
	expect(await context.names()).toEqual(["by seven", "by seventeen"]);
});

test("sort=rating sorts equal averages by the number of votes, then newest first", async () => {
	await make("13 in 3", [5, 4, 4]);
	await make("26 in 6", [5, 5, 4, 4, 4, 4]);
	await make("13 in 3 again", [4, 4, 5]);
	const expected = ["26 in 6", "13 in 3 again", "13 in 3"];
	expect(await context.names()).toEqual(expected);
});

test("GET /api/experiences/leaderboard returns 20 entries by default and 100 with `limit=100`", async () => {
	for (let count = 0; count < 101; count++) await make("Fog", [4, 4, 4]);
	const ranks = async (query: string) => (await context.leaders(query)).map(([rank]) => rank);
	const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);
	expect(await ranks("")).toEqual(upTo(20));
	expect(await ranks("?limit=100")).toEqual(upTo(100));
	expect(await ranks("?category=water")).toEqual(upTo(20));
	expect(await ranks("?category=water&limit=100")).toEqual(upTo(100));
	expect(await ranks("?limit=2&_=1")).toEqual([1, 2]);
});
