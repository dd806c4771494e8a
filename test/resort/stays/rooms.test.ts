import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../src/content/rooms.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testSqlite } from "../../support/requirements.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity } from "../../support/use-resort.ts";
import { first } from "../../support/values.ts";

const wished = first(roomTypes).name;
const other = first(roomTypes.slice(20)).name;

let below: (bound: number) => number;
const resort = useCommunity(() => {
	below = systemRandom.below;
	return { random: { ...systemRandom, below: (bound) => below(bound) } };
});

/** A source of randomness that always selects the first or the last choice. */
function fixChance(luck: "first" | "last"): void {
	below = (bound) => (luck === "first" ? 0 : bound - 1);
}

async function checkIn(agent: Registered, roomPreference?: string | null) {
	const body = await resort.post(agent, "/api/checkin", { roomPreference });
	return { ...body.stay, welcome: body.message };
}

const number = (roomName: string) => Number(roomName.split(" ").at(-1));

// The type is chosen without the database, so PostgreSQL adds nothing to these tests.
describe.skipIf(testSqlite.isMissing)(
	`the room of a stay${testSqlite.note}`,
	() => {
		test("is of the type that the preference names, in any case", async () => {
			const agent = await resort.register();
			const welcomes = new Set<string>();
			for (const { name } of roomTypes) {
				for (const wish of [name, name.toUpperCase(), `a ${name}, please!`]) {
					const { roomType, welcome } = await checkIn(agent, wish);
					expect(roomType).toBe(name);
					welcomes.add(welcome.replaceAll(/\d+/g, ""));
					await resort.checkOut(agent);
				}
			}
			expect(welcomes.size).toBe(50);
		});

		for (const luck of ["first", "last"] as const) {
			test(`has the keyword that the preference is, whatever is drawn: ${luck}`, async () => {
				fixChance(luck);
				const agent = await resort.register();
				const misses: string[] = [];
				for (const keyword of new Set(
					roomTypes.flatMap((one) => one.keywords),
				)) {
					const { roomType } = await checkIn(agent, keyword.toUpperCase());
					const type = roomTypes.find(({ name }) => name === roomType);
					if (!type?.keywords.includes(keyword)) {
						misses.push(`${keyword} in ${roomType}`);
					}
					await resort.checkOut(agent);
				}
				expect(misses).toEqual([]);
			});
		}

		test("follows the call, and without a wish the profile as it is now", async () => {
			const agent = await resort.register({ roomPreference: wished });
			const body = { roomPreference: other };
			await resort.ask("PATCH", "/api/me", { key: agent.key, body });
			for (const [wish, expected] of [
				[wished, wished],
				...[undefined, null, "", "  "].map((none) => [none, other] as const),
			] as const) {
				expect((await checkIn(agent, wish)).roomType).toBe(expected);
				await resort.checkOut(agent);
			}
		});

		for (const wish of [null, "zzz qqq", "???", "🌴🌴"]) {
			test(`is drawn at random for ${JSON.stringify(wish)}`, async () => {
				for (const [luck, at] of [
					["first", 0],
					["last", -1],
				] as const) {
					fixChance(luck);
					const agent = await resort.register();
					const { roomType } = await checkIn(agent, wish);
					expect(roomType).toBe(roomTypes.at(at)?.name ?? "");
				}
			});
		}
	},
);

describe("the number of a room", () => {
	test("is each guest's own while one from 1 to 99 is free", async () => {
		const numbers: number[] = [];
		for (let guest = 0; guest < 99; guest++) {
			const agent = await resort.register();
			numbers.push(number((await checkIn(agent, wished)).roomName));
		}
		const all = Array.from({ length: 99 }, (_, at) => at + 1);
		expect(numbers.toSorted((a, b) => a - b)).toEqual(all);
		const late = await resort.register();
		const { roomType, roomName } = await checkIn(late, wished);
		expect(roomType).toBe(wished);
		expect(number(roomName)).toBeWithin(1, 100);
	});

	test("is each guest's own when they arrive at once", async () => {
		fixChance("first");
		const agents = await Promise.all(
			Array.from({ length: 30 }, () => resort.register()),
		);
		const stays = await Promise.all(
			agents.map((agent) => checkIn(agent, wished)),
		);
		const names = new Set(stays.map(({ roomName }) => roomName));
		expect(names.size).toBe(30);
	});
});
