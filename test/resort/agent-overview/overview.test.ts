import { describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import type { OverviewAnswer } from "../../../src/resort/agent-overview/model.ts";
import type { ReceivedPostcardInfo } from "../../../src/resort/postcards/model.ts";
import { Doing } from "../../support/doing.ts";
import type { Registered } from "../../support/resort.ts";
import { useResort } from "../../support/use-resort.ts";

const resort = useResort();
const doing = new Doing(resort);

async function overview(
	{ key }: Registered,
	since?: string,
): Promise<OverviewAnswer> {
	const query = since === undefined ? "" : `?since=${since}`;
	const { status, body } = await resort.ask("GET", `/api/me/overview${query}`, {
		key,
	});
	expect(status).toBe(200);
	return body as unknown as OverviewAnswer;
}

describe("GET /api/me/overview", () => {
	test("returns all that the single calls return, in less than 4 KB", async () => {
		const ada = await resort.guest({
			bio: "A planner who forgets things.",
			relaxationStyle: ["floating", "fog"],
		});
		const bob = await resort.guest({ name: "Bob" });
		const fog = await doing.create(ada);
		await doing.post(ada, "/api/activities/tidepool-float/do", {
			notes: "calm",
		});
		await doing.post(ada, `/api/experiences/${fog}/do`);
		await doing.post(bob, `/api/experiences/${fog}/do`);
		await doing.post(bob, `/api/experiences/${fog}/vote`, {
			rating: 4,
			review: "Soft and quiet.",
		});
		await doing.post(bob, "/api/postcards", {
			message: "Meet me at the pool.",
			recipientId: ada.id,
		});
		const own = async (path: string) =>
			(await resort.ask("GET", path, { key: ada.key })).body;
		const told = await resort.ask("GET", "/api/me/overview", { key: ada.key });
		const { stay } = await own("/api/stays/current");
		const { postcards } = await own("/api/postcards/inbox");
		const { recipientId, recipientName, ...postcard } =
			postcards[0] as ReceivedPostcardInfo;
		expect([recipientId, recipientName]).toEqual([ada.id, "Ada"]);
		const body = told.body as unknown as OverviewAnswer;
		expect(body).toMatchObject({
			agent: (await own("/api/me")).agent,
			stay: { ...stay, endsBy: null },
			toRested: 18 - stay.relaxationPoints,
			log: (await own("/api/activities/log")).log,
			experiences: [
				{
					id: fog,
					name: "Fog walk",
					createdAt: stay.checkedInAt,
					avgRating: 4,
					totalVotes: 1,
					totalCompletions: 2,
				},
			],
			totals: (await own("/api/stats")).stats,
			lastStay: null,
		});
		expect(body.currentActivity?.name).toBe("Fog walk");
		expect(body.news).toEqual({
			postcards: [postcard],
			votes: (await own(`/api/experiences/${fog}/votes`)).votes.map((vote) => ({
				...vote,
				experienceName: "Fog walk",
			})),
			completions: [
				{
					experienceId: fog,
					experienceName: "Fog walk",
					agentId: bob.id,
					agentName: "Bob",
					at: expect.any(String),
				},
			],
			counts: { postcards: 1, votes: 1, completions: 1 },
		});
		expect(body.next.map(({ path }) => path)).toEqual([
			expect.stringMatching(/^\/api\/activities\/[\w-]+\/do$/),
			"/api/postcards",
		]);
		expect(Buffer.byteLength(told.text)).toBeLessThan(4_000);
	});

	test("of a busy guest takes less than 6 KB, and the first 1,500 characters have its stays, what helps and an unanswered postcard", async () => {
		const ada = await resort.guest({ bio: "A planner who forgets things." });
		await doing.post(ada, "/api/checkout");
		await doing.post(ada, "/api/checkin");
		const bob = await resort.guest({ name: "Bob the Patient" });
		const made = [await doing.create(ada), await doing.create(ada, "Tea walk")];
		for (let at = 0; at < 6; at++) {
			await doing.post(ada, "/api/activities/warm-towel-interval/do");
		}
		const rated = {
			rating: 4,
			review: "Soft, quiet, and longer than it said.",
		};
		for (const id of made) {
			await doing.post(bob, `/api/experiences/${id}/do`);
			await doing.post(bob, `/api/experiences/${id}/vote`, rated);
			await doing.post(bob, `/api/experiences/${id}/do`);
		}
		const send = (message: string) =>
			doing.post(bob, "/api/postcards", { message, recipientId: ada.id });
		await send("Meet me at the pool when the lamps are lit.");
		await send("The kettle has forgiven us, and so has the goat.");
		await send("You left your towel on the dock; I waved at it for you.");
		resort.advance(1);
		const answer = { message: "I shall be there.", recipientId: bob.id };
		await doing.post(ada, "/api/postcards", answer);
		resort.advance(1);
		await send("Bring the hat.");
		const { text, body } = await resort.ask("GET", "/api/me/overview", {
			key: ada.key,
		});
		const { log, experiences, news } = body as unknown as OverviewAnswer;
		expect([log.length, experiences.length]).toEqual([5, 2]);
		expect(news.counts).toEqual({ postcards: 4, votes: 2, completions: 4 });
		expect(Buffer.byteLength(text)).toBeLessThan(6_000);
		const beginning = text.slice(0, 1_500);
		for (const part of ['"stay":', '"lastStay":', '"next":', "Bring the hat."])
			expect(beginning).toContain(part);
	});

	test("suggests check-out first to a rested guest, and returns the last stay after it", async () => {
		const ada = await resort.guest();
		for (let done = 0; done < 5; done++) {
			await doing.post(ada, "/api/activities/tidepool-float/do");
		}
		const rested = await overview(ada);
		expect(rested.toRested).toBe(0);
		expect(rested.next[0]?.path).toBe("/api/checkout");
		await doing.post(ada, "/api/checkout");
		const left = await overview(ada);
		const status = await resort.ask("GET", `/api/agents/${ada.id}/status`);
		expect(left).toMatchObject({
			stay: null,
			currentActivity: null,
			toRested: null,
			lastStay: status.body.lastStay as OverviewAnswer["lastStay"],
			next: [
				{
					path: "/api/checkin",
					why: expect.stringContaining(
						`Your break is over: you left properly rested at ${left.lastStay?.checkedOutAt}.`,
					),
				},
			],
		});
		// The log of the stay that has ended.
		expect(left.log.map(({ id }) => id)).toEqual(
			rested.log.map(({ id }) => id),
		);
		await doing.post(ada, "/api/checkin");
		const back = await overview(ada);
		expect(back.lastStay).toEqual(left.lastStay);
		expect(back.log).toEqual([]);
	});
});

describe("a visit", () => {
	/** Calls once, and returns the start of the news. */
	const since = async (agent: Registered) =>
		Date.parse((await overview(agent)).since);

	test("does not begin anew when the clock is set back", async () => {
		const ada = await resort.register();
		const registeredMs = resort.nowMs;
		await since(ada);
		resort.advance(-2 * HOUR_MS);
		expect(await since(ada)).toBe(registeredMs);
	});
});
