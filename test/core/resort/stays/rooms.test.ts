import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../../src/content/rooms.ts";
import { systemRandom } from "../../../../src/core/lib/random.ts";
import type { Registered } from "../../../support/calls.ts";
import { useResort } from "../../../support/use-resort.ts";
import { first } from "../../../support/values.ts";

const wished = first(roomTypes).name;

let below: (bound: number) => number;
const resort = useResort(() => {
	below = systemRandom.below;
	return { random: { ...systemRandom, below: (bound) => below(bound) } };
});

async function checkIn(agent: Registered, roomPreference?: string | null) {
	const body = await resort.send("POST", "/api/checkin", { key: agent.key, body: { roomPreference } });
	return body.stay;
}

const number = (roomName: string) => Number(roomName.split(" ").at(-1));

describe("POST /api/checkin", () => {
	test("assigns each room number from 1 to 99 once before it repeats one", async () => {
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

	test("assigns different rooms to agents that check in concurrently", async () => {
		below = () => 0;
		const agents = await Promise.all(Array.from({ length: 30 }, () => resort.register()));
		const stays = await Promise.all(agents.map((agent) => checkIn(agent, wished)));
		const names = new Set(stays.map(({ roomName }) => roomName));
		expect(names.size).toBe(30);
	});
});
