import { beforeAll, describe, expect, test } from "bun:test";
import { useSharedCommunity } from "../../support/use-resort.ts";
import { namesOf } from "../../support/values.ts";

/** The categories; each has an experience of the same name, with three votes. */
const categories = [
	"water",
	"Water",
	"WATER",
	"waters",
	"wat",
	"wat%",
	"wa_er",
	"Écume",
	"éCUME",
	"Сон",
	"СОН",
	"ΘΈΡΜΕΣ",
	"STRAẞE",
	"straße",
	"🌴 palms",
	"two words",
	"a+b",
	"a,b",
	"[1]",
	"true",
	"O'Hara's",
	"x&limit=0",
];

/** What a filter finds. */
const filters: [filter: string, found: string[]][] = [
	["water", ["water", "Water", "WATER"]],
	["wAtEr", ["water", "Water", "WATER"]],
	[" water ", ["water", "Water", "WATER"]],
	["WATERS", ["waters"]],
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
	["TWO WORDS", ["two words"]],
	["two  words", []],
	["A+B", ["a+b"]],
	["a b", []],
	["a,b", ["a,b"]],
	["[1]", ["[1]"]],
	["TRUE", ["true"]],
	["o'hara's", ["O'Hara's"]],
	["x&limit=0", ["x&limit=0"]],
	["nothing like it", []],
	["' or 1=1 --", []],
	["w".repeat(5000), []],
];

const context = useSharedCommunity();
beforeAll(async () => {
	const creator = await context.guest();
	for (const category of categories) {
		context.advance(1);
		await context.rated(creator, [4, 4, 4], { name: category, category });
	}
});

const newestFirst = (found: readonly string[]) => found.toReversed();

describe.each(["rating", "newest", "popular"])(
	"GET /api/experiences?sort=%s&category=",
	(sort) => {
		const find = (query: string) => context.names(`?sort=${sort}&${query}`);

		test.each(filters)("%s", async (filter, found) => {
			const query = `category=${encodeURIComponent(filter)}`;
			expect(await find(query)).toEqual(newestFirst(found));
		});

		test("an empty one is no filter", async () => {
			const all = newestFirst(categories);
			for (const query of [
				"category=",
				"category",
				"",
				"category=water&category=",
			]) {
				expect(await find(query)).toEqual(all);
			}
		});

		test("takes a page of it", async () => {
			const page = "category=water&limit=1&offset=1";
			expect(await find(page)).toEqual(["Water"]);
		});
	},
);

describe("GET /api/experiences/leaderboard?category=", () => {
	test.each(filters)("%s", async (filter, found) => {
		const query = `?category=${encodeURIComponent(filter)}&limit=100`;
		const expected = newestFirst(found).map((name, at) => [at + 1, name]);
		expect<unknown[]>(await context.leaders(query)).toEqual(expected);
	});

	test("an empty one is no filter", async () => {
		const leaders = await context.leaders("?category=&limit=100");
		expect(leaders.length).toBe(categories.length);
	});
});

test("an experience shows its category as its creator wrote it", async () => {
	const { body } = await context.ask("GET", "/api/experiences");
	expect(namesOf(body)).toBe("experiences ok total");
	for (const { name, category } of body.experiences) {
		expect(category).toBe(name);
	}
	expect(body.experiences.length).toBe(categories.length);
});
