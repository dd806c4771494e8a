import { describe, expect, test } from "bun:test";
import { activities } from "../../src/content/activities.ts";
import { ambiances } from "../../src/content/ambiances.ts";
import { briefThemes } from "../../src/content/brief-themes.ts";
import { experienceReflections, ownExperienceReflections } from "../../src/content/experience-reflections.ts";
import { refreshedStatus, toRested } from "../../src/content/refreshment.ts";
import { instructions } from "../../src/content/registration-texts.ts";
import { roomTypes } from "../../src/content/rooms.ts";
import { systemRandom } from "../../src/core/lib/random.ts";
import { RegisterBody } from "../../src/core/resort/agents/model.ts";
import { createIdentityBrief } from "../../src/core/resort/agents/service.ts";

/** The lists in a theme. Each part of an identity brief is drawn from one of these lists. */
const pools = [
	"roomTypes",
	"personas",
	"relaxationStyles",
	"comfortObjects",
	"ambientSounds",
	"secretIndulgences",
] as const;

const parts = (pool: (typeof pools)[number] | "nameSeeds") => briefThemes.flatMap((theme) => theme[pool]);

/** Lists whose texts must be unique, each with the minimum number of texts. */
const lists: Readonly<Record<string, [texts: readonly string[], least: number]>> = {
	"activity ids": [activities.map(({ id }) => id), 30],
	"activity names": [activities.map(({ name }) => name), 30],
	"descriptions of activities": [activities.map(({ description }) => description), 30],
	"reflections on activities": [activities.flatMap((one) => one.reflections), 90],
	"names of room types": [roomTypes.map(({ name }) => name), 50],
	"welcomes of room types": [roomTypes.map(({ welcome }) => welcome), 50],
	"names of the themes of identity briefs": [briefThemes.map(({ name }) => name), 10],
	...Object.fromEntries(
		[...pools, "nameSeeds" as const].map((pool) => [
			`${pool} in the themes of identity briefs`,
			[parts(pool), 10],
		]),
	),
	ambiances: [ambiances, 20],
	"reflections on experiences by other agents": [experienceReflections, 20],
	"reflections on an agent's own experiences": [ownExperienceReflections, 10],
	"reflections on experiences by any agent": [[...experienceReflections, ...ownExperienceReflections], 30],
};

test.each(Object.entries(lists))("%s are unique and not blank", (_, [texts, least]) => {
	expect(texts.length).toBeGreaterThanOrEqual(least);
	const folded = texts.map((text) => text.toLowerCase());
	const repeated = folded.filter((text, at) => folded.indexOf(text) !== at);
	expect(repeated).toEqual([]);
	for (const text of texts) expect(text).toMatch(/^\S(.*\S)?$/);
});

describe("the activity", () => {
	test.each(activities)("$id has a valid id, valid numbers and at least three reflections", (activity) => {
		// The id `log` is refused, because /api/activities/log is the path of an operation.
		expect(activity.id).toMatch(/^(?!log$)[a-z0-9]+(-[a-z0-9]+)*$/);
		expect(activity.durationMinutes).toBeInteger();
		expect(activity.durationMinutes).toBeWithin(5, 180 + 1);
		expect(activity.relaxationPoints).toBeInteger();
		expect(activity.relaxationPoints).toBeWithin(1, 10 + 1);
		expect(activity.maxParticipants).toBeInteger();
		expect(activity.maxParticipants).toBeGreaterThanOrEqual(1);
		expect(activity.reflections.length).toBeGreaterThanOrEqual(3);
		for (const text of [activity.category, activity.location]) expect(text).toMatch(/^\S.*\S$/);
	});
});

describe("identity briefs", () => {
	const briefs = Array.from({ length: 2_000 }, () => createIdentityBrief(systemRandom));

	test("have ten themes, and each room type belongs to exactly one theme", () => {
		expect(briefThemes).toHaveLength(10);
		const names = roomTypes.map(({ name }) => name);
		expect(parts("roomTypes").toSorted()).toEqual(names.toSorted());
	});

	test("each contain parts of only one theme, and four different name seeds", () => {
		for (const brief of briefs) {
			const theme = briefThemes.find((one) => one.roomTypes.includes(brief.roomType));
			expect(theme?.personas).toContain(brief.persona);
			expect(theme?.relaxationStyles).toContain(brief.relaxationStyle);
			expect(theme?.comfortObjects).toContain(brief.comfortObject);
			expect(theme?.ambientSounds).toContain(brief.ambientSound);
			expect(theme?.secretIndulgences).toContain(brief.secretIndulgence);
			expect(brief.nameSeeds).toHaveLength(4);
			expect(new Set(brief.nameSeeds).size).toBe(4);
			expect(theme?.nameSeeds).toEqual(expect.arrayContaining(brief.nameSeeds));
		}
	});

	test("are drawn from all themes and room types, and hardly any two are equal", () => {
		expect(new Set(briefs.map(({ roomType }) => roomType)).size).toBe(50);
		const different = new Set(briefs.map((brief) => JSON.stringify(brief)));
		// A run draws 2,000 briefs. About one run in 170 repeats one of them, and no run will repeat ten.
		expect(different.size).toBeGreaterThan(1_990);
	});
});

/** Returns every limit for a length or a number of items in a schema, at any depth. */
function boundsOf(schema: unknown): number[] {
	if (typeof schema !== "object" || schema === null) return [];
	return Object.entries(schema).flatMap(([key, value]) =>
		/^(min|max)(Length|Items)$/.test(key) && value !== 0 ? [Number(value)] : boundsOf(value),
	);
}

describe("the instructions for registration", () => {
	const fields = Object.entries(RegisterBody.properties)
		// The instructions omit this field: a hint in the same response mentions it if it is required.
		.filter(([field]) => field !== "inviteCode")
		.map(([field, schema]) => [field, boundsOf(schema).join(" and ")] as const);

	test.each(fields)('give the same limits for the field "%s" as its schema: %s', (field, limits) => {
		// The bounds of a field are in the parentheses after its name.
		const said = new RegExp(`\\b${field}\\b[^()]*\\(([^)]*)\\)`);
		const [, brackets = ""] = said.exec(instructions) ?? [];
		const numbers = brackets.match(/\d+/g) ?? [];
		expect(numbers.toSorted()).toEqual(limits.split(" and ").toSorted());
	});
});

test.each([
	[0, "barely unpacked", 18],
	[7, "slightly loosened", 11],
	[8, "pleasantly unwound", 10],
	[17, "pleasantly unwound", 1],
	[18, "properly rested", 0],
	[19, "properly rested", 0],
	[10_000, "one with the hammock", 0],
])(
	'a guest with %d points has the status "%s" and needs %d more points to be rested',
	(points, status, missing) => {
		expect(refreshedStatus(points)).toBe(status);
		expect(toRested(points)).toBe(missing);
	},
);
