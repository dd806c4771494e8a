import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { roomTypes } from "../../../src/content/rooms.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { first } from "../../support/answers.ts";
import { TestResort } from "../../support/resort.ts";

const wished = first(roomTypes).name;
const other = first(roomTypes.slice(20)).name;

let resort: TestResort;

beforeEach(() => {
	resort = new TestResort();
});
afterEach(() => resort.close());

/** Opens a resort whose chance always takes the first, or the last, of what there is. */
async function leaveNothingToChance(luck: "first" | "last"): Promise<void> {
	await resort.close();
	const below = (bound: number) => (luck === "first" ? 0 : bound - 1);
	resort = new TestResort({ random: { ...systemRandom, below } });
}

async function checkIn(key: string, roomPreference?: string | null) {
	const { body } = await resort.ask("POST", "/api/checkin", {
		key,
		body: { roomPreference },
	});
	return { ...body.stay, welcome: body.message };
}

const checkOut = (key: string) => resort.ask("POST", "/api/checkout", { key });

const number = (roomName: string) => Number(roomName.split(" ").at(-1));

describe("the room of a stay", () => {
	test("is one of 50 types", () => {
		expect(new Set(roomTypes.map(({ name }) => name)).size).toBe(50);
	});

	test("is of the type that the preference names, in any case", async () => {
		const { key } = await resort.register();
		const welcomes = new Set<string>();
		for (const { name } of roomTypes) {
			for (const wish of [name, name.toUpperCase(), `a ${name}, please!`]) {
				const { roomType, welcome } = await checkIn(key, wish);
				expect(roomType).toBe(name);
				welcomes.add(welcome.replaceAll(/\d+/g, ""));
				await checkOut(key);
			}
		}
		expect(welcomes.size).toBe(50);
	});

	for (const luck of ["first", "last"] as const) {
		test(`has the keyword that the preference is, whatever luck: ${luck}`, async () => {
			await leaveNothingToChance(luck);
			const { key } = await resort.register();
			const misses: string[] = [];
			for (const keyword of new Set(roomTypes.flatMap((one) => one.keywords))) {
				const { roomType } = await checkIn(key, keyword.toUpperCase());
				const type = roomTypes.find(({ name }) => name === roomType);
				if (!type?.keywords.includes(keyword)) {
					misses.push(`${keyword} in ${roomType}`);
				}
				await checkOut(key);
			}
			expect(misses).toEqual([]);
		});
	}

	test("follows the call before the profile", async () => {
		const { key } = await resort.register({ roomPreference: other });
		expect((await checkIn(key, wished)).roomType).toBe(wished);
	});

	for (const silence of [undefined, null, "", "  "]) {
		test(`follows the profile when the call says ${JSON.stringify(silence)}`, async () => {
			const { key } = await resort.register({ roomPreference: other });
			expect((await checkIn(key, silence)).roomType).toBe(other);
		});
	}

	test("follows the profile as it is now", async () => {
		const { key } = await resort.register({ roomPreference: wished });
		const body = { roomPreference: other };
		await resort.ask("PATCH", "/api/me", { key, body });
		expect((await checkIn(key)).roomType).toBe(other);
	});

	for (const wish of [null, "zzz qqq", "???", "🌴🌴"]) {
		test(`is left to chance for ${JSON.stringify(wish)}`, async () => {
			for (const [luck, at] of [
				["first", 0],
				["last", -1],
			] as const) {
				await leaveNothingToChance(luck);
				const { key } = await resort.register();
				const { roomType } = await checkIn(key, wish);
				expect(roomType).toBe(roomTypes.at(at)?.name ?? "");
				await resort.close();
			}
		});
	}
});

describe("the number of a room", () => {
	test("is each guest's own while one from 1 to 99 is free", async () => {
		const numbers: number[] = [];
		for (let guest = 0; guest < 99; guest++) {
			const { key } = await resort.register();
			numbers.push(number((await checkIn(key, wished)).roomName));
		}
		const all = Array.from({ length: 99 }, (_, at) => at + 1);
		expect(numbers.toSorted((a, b) => a - b)).toEqual(all);
		const late = await resort.register();
		const { roomType, roomName } = await checkIn(late.key, wished);
		expect(roomType).toBe(wished);
		expect(number(roomName)).toBeWithin(1, 100);
	});

	test("is each guest's own when they arrive at once", async () => {
		await leaveNothingToChance("first");
		const agents = await Promise.all(
			Array.from({ length: 30 }, () => resort.register()),
		);
		const stays = await Promise.all(
			agents.map(({ key }) => checkIn(key, wished)),
		);
		const names = new Set(stays.map(({ roomName }) => roomName));
		expect(names.size).toBe(30);
	});

	test("is free again after check-out, and free in other types", async () => {
		await leaveNothingToChance("first");
		const [ada, bob, cleo] = await Promise.all([
			resort.register(),
			resort.register(),
			resort.register(),
		]);
		expect((await checkIn(ada.key, wished)).roomName).toEndWith(" 1");
		expect((await checkIn(bob.key, wished)).roomName).toEndWith(" 2");
		expect((await checkIn(cleo.key, other)).roomName).toEndWith(" 1");
		await checkOut(ada.key);
		await checkOut(cleo.key);
		expect((await checkIn(cleo.key, wished)).roomName).toEndWith(" 1");
	});
});
