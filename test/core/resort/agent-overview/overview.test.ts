import { describe, expect, test } from "bun:test";
import { HOUR_MS, MINUTE_MS } from "../../../../src/core/lib/clock.ts";
import type { OverviewAnswer } from "../../../../src/core/resort/agent-overview/model.ts";
import type { Registered } from "../../../support/calls.ts";
import { useResort } from "../../../support/use-resort.ts";

const resort = useResort();

async function overview({ key }: Registered) {
	const { text, body } = await resort.call("GET", "/api/me/overview", { key });
	return { ...(body as unknown as OverviewAnswer), text };
}

describe("GET /api/me/overview", () => {
	test("returns less than 6 KB, whose first 1,500 characters contain stays, next calls and an unanswered postcard", async () => {
		const ada = await resort.guest({ bio: "A planner who forgets things." });
		await resort.checkOut(ada);
		await resort.checkIn(ada);
		const bob = await resort.guest({ name: "Bob the Patient" });
		const made = [await resort.create(ada), await resort.create(ada, { name: "Tea walk" })];
		resort.advance(1_000);
		for (let at = 0; at < 6; at++) {
			await resort.send("POST", "/api/activities/warm-towel-interval/do", { key: ada.key });
		}
		const rated = "Soft, quiet, and longer than it said.";
		for (const { id } of made) {
			await resort.complete(bob, id);
			await resort.vote(bob, id, 4, rated);
			await resort.complete(bob, id);
		}
		const send = (message: string) => resort.sendPostcard(bob, { message, recipientId: ada.id });
		await send("Meet me at the pool when the lamps are lit.");
		await send("The kettle has forgiven us, and so has the goat.");
		await send("You left your towel on the dock; I waved at it for you.");
		resort.advance(1);
		const answer = { message: "I shall be there.", recipientId: bob.id };
		await resort.sendPostcard(ada, answer);
		resort.advance(1);
		await send("Bring the hat.");
		const { text, log, experiences, news } = await overview(ada);
		expect([log.length, experiences.length]).toEqual([5, 2]);
		expect(news.counts).toEqual({ postcards: 4, votes: 2, completions: 4 });
		expect(Buffer.byteLength(text)).toBeLessThan(6_000);
		const beginning = text.slice(0, 1_500);
		for (const part of ['"stay":', '"lastStay":', '"next":', "Bring the hat."])
			expect(beginning).toContain(part);
	});

	test("returns the caller's newest 10 experiences, the newest 10 entries of each list of news, and counts of all news", async () => {
		const ada = await resort.guest();
		const made: string[] = [];
		for (let at = 0; at < 12; at++) made.unshift((await resort.create(ada)).id);
		const [archived = "", fog = "", ...others] = made;
		await resort.archive(ada, archived);
		resort.advance(1_000);
		for (let at = 0; at < 11; at++) {
			const guest = await resort.guest();
			await resort.complete(guest, fog);
			await resort.vote(guest, fog, 3);
			await resort.sendPostcard(guest, { recipientId: ada.id });
		}
		const { experiences, news } = await overview(ada);
		expect(experiences.map(({ id }) => id)).toEqual([fog, ...others].slice(0, 10));
		const { counts, ...lists } = news;
		expect(counts).toEqual({ postcards: 11, votes: 11, completions: 11 });
		for (const list of Object.values(lists)) expect(list).toHaveLength(10);
	});

	test("suggests check-in 30 minutes after check-out", async () => {
		const ada = await resort.guest();
		for (let done = 0; done < 5; done++) {
			await resort.send("POST", "/api/activities/tidepool-float/do", { key: ada.key });
		}
		await resort.checkOut(ada);
		const left = await overview(ada);
		expect(left.next).toEqual([]);
		resort.advance(29 * MINUTE_MS);
		expect((await overview(ada)).next).toEqual([]);
		resort.advance(MINUTE_MS);
		expect((await overview(ada)).next).toMatchObject([
			{
				path: "/api/checkin",
				why: expect.stringContaining(
					`Your break is over: you left properly rested at ${left.lastStay?.checkedOutAt}.`,
				),
			},
		]);
	});
});

test("the field `since` of GET /api/me/overview does not change when the clock is set back", async () => {
	const ada = await resort.register();
	const { since } = await overview(ada);
	resort.advance(-2 * HOUR_MS);
	expect((await overview(ada)).since).toBe(since);
});
