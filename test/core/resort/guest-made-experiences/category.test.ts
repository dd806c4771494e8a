import { beforeAll, expect, test } from "bun:test";
import { useResort } from "../../../support/use-resort.ts";

const filters: [filter: string, found: string[]][] = [
	[" water ", ["water", "Water", "WATER"]],
	["wa_er", ["wa_er"]],
	["%water%", []],
	["ÉCUME", ["Écume", "éCUME"]],
	["ecume", []],
	["θέρμες", ["ΘΈΡΜΕΣ"]],
	["Straße", ["STRAẞE", "straße"]],
	["🌴 PALMS", ["🌴 palms"]],
	["x&limit=0", ["x&limit=0"]],
	["' or 1=1 --", []],
];

/** The categories. Each has one experience, which has three votes and is named like the category. */
const categories = filters.flatMap(([, found]) => found);

const context = useResort({ shared: true });
beforeAll(async () => {
	const creator = await context.guest();
	for (const category of categories) {
		context.advance(1);
		await context.rated(creator, [4, 4, 4], { name: category, category });
	}
});

// A filter ignores only the case, and spaces at the start and end. test/walk tests filters for a category
// together with the parameter `sort`.
test.each(filters)("a filter for the category %j finds the categories %j", async (filter, found) => {
	const query = `?category=${encodeURIComponent(filter)}`;
	expect(await context.names(query)).toEqual(found.toReversed());
	const leaders = await context.leaders(query);
	expect(leaders.map(([, name]) => name)).toEqual(found.toReversed());
});

test("an empty or missing filter for the category finds all categories", async () => {
	for (const query of ["category=", "category", "", "category=water&category="]) {
		expect(await context.names(`?${query}`)).toEqual(categories.toReversed());
	}
});
