import { beforeAll, describe, expect, test } from "bun:test";
import { useResort } from "../../../support/use-resort.ts";

const filters: [filter: string, found: string[]][] = [
	["water", ["water", "Water", "WATER"]],
	[" water ", ["water", "Water", "WATER"]],
	["wat%", ["wat%"]],
	["wa_er", ["wa_er"]],
	["%", []],
	["%water%", []],
	["écume", ["Écume", "éCUME"]],
	["ÉCUME", ["Écume", "éCUME"]],
	["ecume", []],
	["сон", ["Сон", "СОН"]],
	["θέρμες", ["ΘΈΡΜΕΣ"]],
	["Straße", ["STRAẞE", "straße"]],
	["🌴 PALMS", ["🌴 palms"]],
	["o'hara's", ["O'Hara's"]],
	["x&limit=0", ["x&limit=0"]],
	["' or 1=1 --", []],
	["w".repeat(5000), []],
];

/** The filters as rows of a table, whose titles begin with the filter in quotation marks. */
const rows = filters.map(([filter, found]) => {
	const shown = filter.length > 100 ? `a text of ${filter.length} letters` : JSON.stringify(filter);
	return [shown, found, filter] as const;
});

/** The categories. Each has an experience with the same name and three votes. */
const categories = ["wat", ...new Set(filters.flatMap(([, found]) => found))];

const context = useResort({ shared: true });
beforeAll(async () => {
	const creator = await context.guest();
	for (const category of categories) {
		context.advance(1);
		await context.rated(creator, [4, 4, 4], { name: category, category });
	}
});

describe.each(["rating", "newest", "popular"])(
	"the parameter category of GET /api/experiences?sort=%s",
	(sort) => {
		const find = (query: string) => context.names(`?sort=${sort}&${query}`);

		// Only the case of letters is ignored.
		test.each(rows)("with the value %s selects the categories %j", async (_, found, filter) => {
			const query = `category=${encodeURIComponent(filter)}`;
			expect(await find(query)).toEqual(found.toReversed());
		});

		test("with an empty value selects all categories", async () => {
			const all = categories.toReversed();
			for (const query of ["category=", "category", "", "category=water&category="]) {
				expect(await find(query)).toEqual(all);
			}
		});
	},
);

describe("the parameter category of GET /api/experiences/leaderboard", () => {
	test.each(rows)("with the value %s selects the categories %j", async (_, found, filter) => {
		const query = `?category=${encodeURIComponent(filter)}&limit=100`;
		const expected = found.toReversed().map((name, at) => [at + 1, name]);
		expect<unknown[]>(await context.leaders(query)).toEqual(expected);
	});
});
