import { expect, test } from "bun:test";
import { MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import { systemRandom } from "../../../../src/core/lib/random.ts";
import { expectRefusal } from "../../../support/answers.ts";
import { useAgent, useResort } from "../../../support/use-resort.ts";

// Each random choice takes the first option, so that guests compete for the same rooms.
const resort = useResort({ random: { ...systemRandom, below: () => 0 } });
const ada = useAgent(resort);

test("concurrent check-ins assign different rooms", async () => {
	const agents = await Promise.all(Array.from({ length: 30 }, () => resort.register()));
	const stays = await Promise.all(agents.map((agent) => resort.checkIn(agent)));
	expect(new Set(stays.map(({ stay }) => stay.roomName)).size).toBe(30);
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
