import { describe, expect, test } from "bun:test";
import { briefThemes } from "../../src/content/brief-themes.ts";
import { roomTypes } from "../../src/content/rooms.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { createIdentityBrief } from "../../src/resort/agents/service.ts";

/** The pools of which each gives one part of a brief. */
const pools = [
	"roomTypes",
	"personas",
	"relaxationStyles",
	"comfortObjects",
	"ambientSounds",
	"secretIndulgences",
] as const;

/** The number of ways to take four of so many, whatever their order. */
function foursOf(count: number): number {
	return (count * (count - 1) * (count - 2) * (count - 3)) / 24;
}

describe("the themes of the briefs", () => {
	test("are ten with different names", () => {
		expect(new Set(briefThemes.map(({ name }) => name)).size).toBe(10);
		expect(briefThemes).toHaveLength(10);
	});

	test("have every room type once between them, and no other", () => {
		const used = briefThemes.flatMap((theme) => theme.roomTypes);
		expect(used.toSorted()).toEqual(
			roomTypes.map(({ name }) => name).toSorted(),
		);
	});

	test.each([...pools, "nameSeeds"] as const)(
		"have no %s twice, within a theme or between two",
		(pool) => {
			const parts = briefThemes.flatMap((theme) =>
				theme[pool].map((part) => part.toLowerCase()),
			);
			const repeated = parts.filter((part, at) => parts.indexOf(part) !== at);
			expect(repeated).toEqual([]);
			for (const part of parts) expect(part).toMatch(/^\S(.*\S)?$/);
		},
	);

	test("give at least a million different briefs, even before the name seeds", () => {
		const counts = briefThemes.map((theme) =>
			pools.reduce((product, pool) => product * theme[pool].length, 1),
		);
		expect(Math.min(...counts)).toBeGreaterThan(0);
		expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(
			1_000_000,
		);
		for (const { nameSeeds } of briefThemes) {
			expect(foursOf(nameSeeds.length)).toBeGreaterThanOrEqual(5);
		}
	});
});

describe("createIdentityBrief", () => {
	const briefs = Array.from({ length: 2_000 }, () =>
		createIdentityBrief(systemRandom),
	);

	test("takes all parts from one theme, with four different name seeds", () => {
		for (const brief of briefs) {
			const theme = briefThemes.find((one) =>
				one.roomTypes.includes(brief.roomType),
			);
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

	test("draws from every theme and every room type", () => {
		expect(new Set(briefs.map(({ roomType }) => roomType)).size).toBe(50);
	});

	test("hardly ever draws the same brief again", () => {
		const different = new Set(briefs.map((brief) => JSON.stringify(brief)));
		// Among so many briefs two of 2 000 are alike about once in 170 runs; ten are never.
		expect(different.size).toBeGreaterThan(1_990);
	});
});
