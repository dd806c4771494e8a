import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../src/content/rooms.ts";
import { systemRandom } from "../../../src/lib/random.ts";
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

/** From here on, of what there is to draw, the first or the last is drawn. */
function fixChance(luck: "first" | "last"): void {
	below = (bound) => (luck === "first" ? 0 : bound - 1);
}

async function checkIn({ key }: Registered, roomPreference?: string | null) {
	const { body } = await resort.ask("POST", "/api/checkin", {
		key,
		body: { roomPreference },
	});
	return { ...body.stay, welcome: body.message };
}

describe("the room of a stay", () => {
	test("follows the call before the profile", async () => {
		const agent = await resort.register({ roomPreference: other });
		expect((await checkIn(agent, wished)).roomType).toBe(wished);
	});

	for (const wish of [undefined, null, "", "  "]) {
		test(`follows the profile when the wish is ${JSON.stringify(wish)}`, async () => {
			const agent = await resort.register({ roomPreference: other });
			expect((await checkIn(agent, wish)).roomType).toBe(other);
		});
	}

	test("follows the profile as it is now", async () => {
		const agent = await resort.register({ roomPreference: wished });
		const body = { roomPreference: other };
		await resort.ask("PATCH", "/api/me", { key: agent.key, body });
		expect((await checkIn(agent)).roomType).toBe(other);
	});
});

describe("the number of a room", () => {
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

	test("is free again after check-out, and free in other types", async () => {
		fixChance("first");
		const [ada, bob, cleo] = await Promise.all([
			resort.register(),
			resort.register(),
			resort.register(),
		]);
		expect((await checkIn(ada, wished)).roomName).toEndWith(" 1");
		expect((await checkIn(bob, wished)).roomName).toEndWith(" 2");
		expect((await checkIn(cleo, other)).roomName).toEndWith(" 1");
		await resort.checkOut(ada);
		await resort.checkOut(cleo);
		expect((await checkIn(cleo, wished)).roomName).toEndWith(" 1");
	});
});
