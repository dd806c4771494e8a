import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../../src/content/rooms.ts";
import { type Random, systemRandom } from "../../../../src/core/lib/random.ts";
import { chooseRoomType } from "../../../../src/core/resort/stays/room-choice.ts";

/** Returns the names of all room types that may be chosen at random for a preference. */
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
	test("finds each room type by its name, ignoring case, even if the preference contains keywords of another type", () => {
		for (const [at, { name }] of roomTypes.entries()) {
			const other = roomTypes[(at + 1) % roomTypes.length]?.keywords.join(", ");
			for (const preference of [name.toUpperCase(), `The ${name}, please!`, `${other} or ${name}`]) {
				expect(candidates(preference)).toEqual([name]);
			}
		}
	});

	test("finds only room types with the keyword that the preference contains, ignoring case", () => {
		for (const keyword of new Set(roomTypes.flatMap((one) => one.keywords))) {
			const having = roomTypes.filter((one) => one.keywords.includes(keyword)).map(({ name }) => name);
			for (const wish of [keyword, `Something ${keyword.toUpperCase()}.`]) {
				expect(having).toEqual(expect.arrayContaining(candidates(wish)));
			}
		}
	});

	test("prefers the room type with the most matching keywords", () => {
		for (const { name, keywords } of roomTypes) {
			expect(candidates(keywords.join(" and "))).toEqual([name]);
		}
	});

	test("chooses among all room types that match equally well", () => {
		const counts = Map.groupBy(
			roomTypes.flatMap((type) => type.keywords),
			(keyword) => keyword,
		);
		const shared = [...counts].find(([, { length }]) => length >= 2)?.[0] ?? "";
		expect(candidates(shared).length).toBeGreaterThan(1);
	});

	test.each([null, "  \n", "?!.*+([", "oce rainf zzz"])(
		"chooses among all 50 room types if none of them matches the preference %j",
		(preference) => {
			expect(candidates(preference)).toHaveLength(50);
		},
	);
});
