import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../src/content/rooms.ts";
import { type Random, systemRandom } from "../../../src/core/lib/random.ts";
import {
	chooseRoomNumber,
	chooseRoomType,
	ROOMS_PER_TYPE,
} from "../../../src/core/resort/stays/room-choice.ts";

/** The names of all the types that chance may choose for a preference. */
function candidates(preference: string | null): string[] {
	const names = new Set<string>();
	let choices = 1;
	for (let place = 0; place < choices; place++) {
		const random: Random = {
			...systemRandom,
			below: (bound) => {
				choices = Math.max(choices, bound);
				return Math.min(place, bound - 1);
			},
		};
		names.add(chooseRoomType(random, preference).name);
	}
	return [...names];
}

describe("chooseRoomType", () => {
	test.each(roomTypes.map(({ name }) => name))("%s is found by its name in any case", (name) => {
		for (const preference of [name, name.toLowerCase(), name.toUpperCase(), `The ${name}, please!`]) {
			expect(candidates(preference)).toEqual([name]);
		}
	});

	test("a name wins over all keywords of another type", () => {
		for (const [at, { name }] of roomTypes.entries()) {
			const other = roomTypes[(at + 1) % roomTypes.length];
			const wish = `${other?.keywords.join(", ")} or ${name}`;
			expect(candidates(wish)).toEqual([name]);
		}
	});

	test("every keyword finds a type that has it, in any case", () => {
		const wrong: string[] = [];
		for (const keyword of new Set(roomTypes.flatMap((one) => one.keywords))) {
			const having = roomTypes.filter((one) => one.keywords.includes(keyword)).map(({ name }) => name);
			for (const wish of [keyword, `Something ${keyword.toUpperCase()}.`]) {
				for (const name of candidates(wish)) {
					if (!having.includes(name)) wrong.push(`${wish}: ${name}`);
				}
			}
		}
		expect(wrong).toEqual([]);
	});

	test("the more keywords match, the better: all of a type's own find it", () => {
		for (const { name, keywords } of roomTypes) {
			expect(candidates(keywords.join(" and "))).toEqual([name]);
		}
	});

	test("types that match equally well are all given", () => {
		const counts = Map.groupBy(
			roomTypes.flatMap((type) => type.keywords),
			(keyword) => keyword,
		);
		const shared = [...counts].find(([, { length }]) => length >= 2)?.[0] ?? "";
		expect(candidates(shared).length).toBeGreaterThan(1);
	});

	test.each([
		["no preference", null],
		["an empty one", ""],
		["white space", "  \n"],
		["no known word", "xyzzy plugh"],
		["punctuation", "?!.*+(["],
		["parts of words only", "oce rainf zzz"],
	])("%s gives every type sooner or later", (_name, preference) => {
		// Odds of missing one of 50 in 2 000 draws: below 1 in 10^15.
		const drawn = Array.from({ length: 2_000 }, () => chooseRoomType(systemRandom, preference).name);
		expect(new Set(drawn).size).toBe(50);
	});
});

describe("chooseRoomNumber", () => {
	const all = Array.from({ length: ROOMS_PER_TYPE }, (_, at) => at + 1);

	test("rooms are numbered from 1 to 99", () => {
		expect(ROOMS_PER_TYPE).toBe(99);
		const numbers = Array.from({ length: 5_000 }, () => chooseRoomNumber(systemRandom, new Set()));
		expect([...new Set(numbers)].sort((a, b) => a - b)).toEqual(all);
	});

	test.each(all)("the one free number %d is found", (free) => {
		const taken = new Set(all.filter((number) => number !== free));
		expect(chooseRoomNumber(systemRandom, taken)).toBe(free);
	});

	test("when all are taken it is still a number from 1 to 99", () => {
		const taken = new Set(all);
		for (let draw = 0; draw < 500; draw++) {
			expect(all).toContain(chooseRoomNumber(systemRandom, taken));
		}
	});
});
