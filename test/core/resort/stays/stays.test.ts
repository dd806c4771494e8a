import { describe, expect, test } from "bun:test";
import { roomTypes } from "../../../../src/content/rooms.ts";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { systemRandom } from "../../../../src/core/lib/random.ts";
import { expectRefusal } from "../../../support/answers.ts";
import type { Registered } from "../../../support/calls.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";
import { first } from "../../../support/values.ts";

const wished = first(roomTypes).name;

let below: (bound: number) => number;
const resort = useResort(() => {
	below = systemRandom.below;
	return { random: { ...systemRandom, below: (bound) => below(bound) } };
});

const ada = useAgent(resort);

async function checkIn(agent: Registered, roomPreference?: string | null) {
	const body = await resort.send("POST", "/api/checkin", { key: agent.key, body: { roomPreference } });
	return body.stay;
}

const number = (roomName: string) => Number(roomName.split(" ").at(-1));

describe("POST /api/checkin", () => {
	test("assigns each of the 99 room numbers of a type once before it repeats one", async () => {
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

test("the hint of a refused check-out says that the agent is available, and does not suggest a check-in", async () => {
	const checkOut = () => resort.call("POST", "/api/checkout", ada);
	const overdue = async () => {
		await resort.send("POST", "/api/checkin", { key: ada.key, body: { maxMinutes: 1 } });
		resort.advance(MINUTE_MS);
		return checkOut();
	};
	for (const refused of [checkOut, overdue]) {
		const answer = await refused();
		expectRefusal(answer, 400, "Not checked in");
		expect(answer.body.hint).toStartWith("You are available already: ");
		expect(answer.body.hint).not.toContain("/api/checkin");
	}
});

test.each([
	[0, 0, "0 activities,"],
	[1, 0, "1 activity,"],
	[0, 1, "1 activity (1 of them an experience),"],
	[1, 2, "3 activities (2 of them experiences),"],
])(
	"the message of a check-out after %d activities and %d experiences contains %j",
	async (activities, experiences, words) => {
		await resort.checkIn(ada);
		const { id } = await resort.create(ada);
		for (let count = 0; count < activities; count++) {
			await resort.send("POST", "/api/activities/tidepool-float/do", { key: ada.key });
		}
		for (let count = 0; count < experiences; count++) {
			await resort.complete(ada, id);
		}
		expect((await resort.checkOut(ada)).message).toContain(words);
	},
);

test("a check-out says how long the stay was, in its summary and in its message", async () => {
	await resort.checkIn(ada);
	resort.advance(125 * MINUTE_MS);
	const { summary, message } = await resort.checkOut(ada);
	expect(summary.duration).toBe("2 hours 5 minutes");
	expect(message).toContain(", after 2 hours 5 minutes and ");
});
