import { describe, expect, test } from "bun:test";
import { NOTICE } from "../../../src/content/notice.ts";
import { HOUR_MS, MINUTE_MS, toTimestamp } from "../../../src/lib/clock.ts";
import type { OverviewAnswer } from "../../../src/resort/agent-overview/model.ts";
import type { ReceivedPostcardInfo } from "../../../src/resort/postcards/model.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity } from "../../support/use-resort.ts";

const resort = useCommunity();

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
	test("of an agent that has only registered", async () => {
		const ada = await resort.register();
		const { agent } = (await resort.me(ada)).body;
		expect(await overview(ada)).toEqual({
			ok: true,
			notice: NOTICE,
			agent,
			stay: null,
			currentActivity: null,
			toRested: null,
			since: agent.createdAt,
			log: [],
			experiences: [],
			news: {
				postcards: [],
				votes: [],
				completions: [],
				counts: { postcards: 0, votes: 0, completions: 0 },
			},
			totals: {
				totalStays: 0,
				totalRelaxationPoints: 0,
				totalActivitiesCompleted: 0,
				totalPostcardsSent: 0,
			},
			lastStay: null,
			newestPostcard: null,
			next: [expect.objectContaining({ method: "POST", path: "/api/checkin" })],
		});
	});

	test("returns all that the single calls return, in less than 4 KB", async () => {
		const ada = await resort.guest({
			bio: "A planner who forgets things.",
			relaxationStyle: ["floating", "fog"],
		});
		const bob = await resort.guest({ name: "Bob" });
		const { id: fog } = await resort.create(ada);
		resort.advance(1_000);
		const notes = { notes: "calm" };
		await resort.post(ada, "/api/activities/tidepool-float/do", notes);
		await resort.complete(ada, fog);
		await resort.complete(bob, fog);
		await resort.vote(bob, fog, 4, "Soft and quiet.");
		await resort.send(bob, {
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
					name: "Fog Bathing",
					createdAt: stay.checkedInAt,
					avgRating: 4,
					totalVotes: 1,
					totalCompletions: 2,
				},
			],
			totals: (await own("/api/stats")).stats,
			lastStay: null,
		});
		expect(body.currentActivity?.name).toBe("Fog Bathing");
		expect(body.news).toEqual({
			postcards: [postcard],
			votes: (await own(`/api/experiences/${fog}/votes`)).votes.map((vote) => ({
				...vote,
				experienceName: "Fog Bathing",
			})),
			completions: [
				{
					experienceId: fog,
					experienceName: "Fog Bathing",
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
		await resort.checkOut(ada);
		await resort.checkIn(ada);
		const bob = await resort.guest({ name: "Bob the Patient" });
		const made = [
			await resort.create(ada),
			await resort.create(ada, { name: "Tea walk" }),
		];
		resort.advance(1_000);
		for (let at = 0; at < 6; at++) {
			await resort.post(ada, "/api/activities/warm-towel-interval/do");
		}
		const rated = "Soft, quiet, and longer than it said.";
		for (const { id } of made) {
			await resort.complete(bob, id);
			await resort.vote(bob, id, 4, rated);
			await resort.complete(bob, id);
		}
		const send = (message: string) =>
			resort.send(bob, { message, recipientId: ada.id });
		await send("Meet me at the pool when the lamps are lit.");
		await send("The kettle has forgiven us, and so has the goat.");
		await send("You left your towel on the dock; I waved at it for you.");
		resort.advance(1);
		const answer = { message: "I shall be there.", recipientId: bob.id };
		await resort.send(ada, answer);
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
			await resort.post(ada, "/api/activities/tidepool-float/do");
		}
		const rested = await overview(ada);
		expect(rested.toRested).toBe(0);
		expect(rested.next[0]?.path).toBe("/api/checkout");
		await resort.checkOut(ada);
		const left = await overview(ada);
		const status = await resort.ask("GET", `/api/agents/${ada.id}/status`);
		expect(left).toMatchObject({
			stay: null,
			currentActivity: null,
			toRested: null,
			lastStay: status.body.lastStay as OverviewAnswer["lastStay"],
			next: [],
		});
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
		// The log of the stay that has ended.
		expect(left.log.map(({ id }) => id)).toEqual(
			rested.log.map(({ id }) => id),
		);
		await resort.checkIn(ada);
		const back = await overview(ada);
		expect(back.lastStay).toEqual(left.lastStay);
		expect(back.log).toEqual([]);
	});

	test("contains the newest 5 of the log, and the newest 10 experiences that are not archived", async () => {
		const ada = await resort.guest();
		const made: string[] = [];
		for (let at = 0; at < 12; at++) {
			const { id } = await resort.create(ada, { name: `Walk ${at}` });
			made.unshift(id);
			await resort.post(ada, "/api/activities/tidepool-float/do");
		}
		await resort.ask("DELETE", `/api/experiences/${made[0]}`, { key: ada.key });
		const { log, experiences } = await overview(ada);
		const all = (await resort.ask("GET", "/api/activities/log", ada)).body.log;
		expect(log).toEqual(all.slice(0, 5));
		expect(experiences.map(({ id }) => id)).toEqual(made.slice(1, 11));
	});

	test("counts more news than it lists, and none of the caller's own", async () => {
		const ada = await resort.guest();
		const { id: fog } = await resort.create(ada);
		resort.advance(1_000);
		await resort.complete(ada, fog);
		await resort.vote(ada, fog, 5);
		await resort.send(ada, { message: "me", recipientId: ada.id });
		for (let at = 0; at < 11; at++) {
			const guest = await resort.guest({ name: `Guest ${at}` });
			await resort.complete(guest, fog);
			await resort.vote(guest, fog, 3);
			const message = `card ${at}`;
			await resort.send(guest, { message, recipientId: ada.id });
		}
		const { news } = await overview(ada, "2026-03-10T12:00:00Z");
		const newestFirst = Array.from({ length: 10 }, (_, at) => 10 - at);
		expect(news.counts).toEqual({ postcards: 11, votes: 11, completions: 11 });
		expect(news.postcards.map(({ message }) => message)).toEqual(
			newestFirst.map((at) => `card ${at}`),
		);
		for (const list of [news.votes, news.completions]) {
			expect(list.map(({ agentName }) => agentName)).toEqual(
				newestFirst.map((at) => `Guest ${at}`),
			);
		}
	});

	test("`since` is after, not at", async () => {
		const ada = await resort.register();
		const bob = await resort.guest({ name: "Bob" });
		const at = resort.nowMs;
		await resort.send(bob, { message: "hi", recipientId: ada.id });
		const count = async (sinceMs: number) =>
			(await overview(ada, toTimestamp(sinceMs))).news.counts.postcards;
		expect(await count(at - 1)).toBe(1);
		expect(await count(at)).toBe(0);
	});

	test.each(["yesterday", "2026-13-01T00:00:00Z", "2026-03-10"])(
		"refuses since=%s",
		async (since) => {
			const { key } = await resort.register();
			const { status, body } = await resort.ask(
				"GET",
				`/api/me/overview?since=${since}`,
				{ key },
			);
			expect(status).toBe(400);
			expect(body.field).toBe("since");
		},
	);
});

describe("a visit", () => {
	/** Calls once, and returns the start of the news. */
	const since = async (agent: Registered) =>
		Date.parse((await overview(agent)).since);

	test("a pause of exactly 30 minutes is none", async () => {
		const ada = await resort.register();
		const registeredMs = resort.nowMs;
		await since(ada);
		resort.advance(30 * MINUTE_MS);
		expect(await since(ada)).toBe(registeredMs);
		resort.advance(30 * MINUTE_MS + 1);
		expect(await since(ada)).toBe(registeredMs + 30 * MINUTE_MS);
	});

	test("does not begin anew when the clock is set back", async () => {
		const ada = await resort.register();
		const registeredMs = resort.nowMs;
		await since(ada);
		resort.advance(-2 * HOUR_MS);
		expect(await since(ada)).toBe(registeredMs);
	});
});
