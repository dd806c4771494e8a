import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../../src/content/rooms.ts";
import { systemRandom } from "../../../../src/core/lib/random.ts";
import type { Registered } from "../../../support/resort.ts";
import { useCommunity } from "../../../support/use-resort.ts";
import { first } from "../../../support/values.ts";

const wished = first(roomTypes).name;
const other = first(roomTypes.slice(20)).name;

let below: (bound: number) => number;
const resort = useCommunity(() => {
	below = systemRandom.below;
	return { random: { ...systemRandom, below: (bound) => below(bound) } };
});

async function checkIn(agent: Registered, roomPreference?: string | null) {
	const body = await resort.post(agent, "/api/checkin", { roomPreference });
	return body.stay;
}

const number = (roomName: string) => Number(roomName.split(" ").at(-1));

test("the room of a stay follows the call, and without a wish the profile as it is now", async () => {
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
		below = () => 0;
		const agents = await Promise.all(Array.from({ length: 30 }, () => resort.register()));
		const stays = await Promise.all(agents.map((agent) => checkIn(agent, wished)));
		const names = new Set(stays.map(({ roomName }) => roomName));
		expect(names.size).toBe(30);
	});
});
