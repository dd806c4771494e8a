import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/lib/clock.ts";
import { expectAnswer, expectRefusal } from "../../support/answers.ts";
import { communityFields } from "../../support/community.ts";
import { expectNext } from "../../support/next-calls.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso, namesOf, UUID_V7 } from "../../support/values.ts";

const context = useCommunity();
const creator = useGuest(context);
const guest = useGuest(context, { name: "Grace" });
let id: string;

/** A guest that has completed the experience. */
const arrive = async (name: string) => {
	const guest = await context.guest({ name });
	await context.complete(guest, id);
	return guest;
};

beforeEach(async () => {
	({ id } = await context.create(creator));
	await context.complete(guest, id);
});

describe("POST /api/experiences/{id}/vote", () => {
	const vote = (body: object, { key }: Registered = guest) =>
		context.ask("POST", `/api/experiences/${id}/vote`, { key, body });

	test("answers 200 with the vote and the experience as it is then", async () => {
		context.advance(77);
		const { status, body } = await vote({ rating: 4, review: " Damp. " });
		expectAnswer({ status, body }, 200, "experience next ok toRested vote");
		expect(body.vote).toEqual({
			id: expect.stringMatching(UUID_V7),
			experienceId: id,
			agentId: guest.id,
			agentName: "Grace",
			rating: 4,
			review: "Damp.",
			createdAt: iso(context.nowMs),
		});
		expect(namesOf(body.experience)).toBe(communityFields.experience);
		expect<unknown>(body.experience).toEqual(await context.see(id));
		expect(body.experience).toMatchObject({ avgRating: 4, totalVotes: 1 });
		expect(await context.votes(id)).toEqual([body.vote]);
	});

	test("needs no stay, however long ago the completion is, and suggests what fits", async () => {
		const first = await vote({ rating: 4 });
		expectNext(first);
		const paths = first.body.next.map(({ path }) => path);
		expect(paths).toHaveLength(1);
		await context.checkOut(guest);
		context.advance(400 * DAY_MS);
		const later = await vote({ rating: 5 });
		expect(later.status).toBe(200);
		const { avgRating, totalVotes } = later.body.experience;
		expect([avgRating, totalVotes]).toEqual([5, 1]);
		expectNext(later);
		const others = later.body.next.map(({ path }) => path);
		expect(others).toContain("/api/checkin");
		expect(others).not.toContain("/api/checkout");
	});

	test("needs a completion of that experience by that agent", async () => {
		const text = "Complete the experience before voting";
		expectRefusal(await vote({ rating: 5 }, creator), 400, text);
		const other = await context.create(creator);
		await context.complete(creator, other.id);
		expectRefusal(await vote({ rating: 5 }, creator), 400, text);
		const away = await context.register();
		expectRefusal(await vote({ rating: 5 }, away), 400, text);
		expect((await context.see(id)).totalVotes).toBe(0);
		await context.complete(creator, id);
		expect((await vote({ rating: 5 }, creator)).status).toBe(200);
	});

	test("ignores what only the resort can say", async () => {
		const claims = {
			id: "mine",
			agentId: creator.id,
			agentName: "Somebody",
			experienceId: "exp-other",
			createdAt: "1999-01-01T00:00:00.000Z",
		};
		const { body } = await vote({ ...claims, rating: 3 });
		expect(body.vote).toMatchObject({
			agentName: "Grace",
			experienceId: id,
			createdAt: iso(context.nowMs),
		});
		expect((await vote({ rating: 4 })).body.vote.id).toBe(body.vote.id);
	});

	test("changes an earlier vote and keeps its id and its time", async () => {
		const before = await context.vote(guest, id, 2, "Damp.");
		context.advance(60_000);
		const after = await context.vote(guest, id, 5, "Better when bored.");
		const review = "Better when bored.";
		expect(after).toEqual({ ...before, rating: 5, review });
		expect(await context.votes(id)).toEqual([after]);
		expect(await context.see(id)).toMatchObject({
			avgRating: 5,
			totalVotes: 1,
		});
	});

	test.each([{}, { review: null }, { review: " " }])(
		"removes the review of an earlier vote: %j",
		async (none) => {
			await context.vote(guest, id, 2, "Damp.");
			const { body } = await vote({ rating: 2, ...none });
			expect(body.vote.review).toBeNull();
			expect(await context.votes(id)).toEqual([body.vote]);
		},
	);
});

describe("GET /api/experiences/{id}/votes", () => {
	const list = () => context.ask("GET", `/api/experiences/${id}/votes`);

	test("shows the votes for that experience alone, newest first, with the contract's fields", async () => {
		const other = await context.rated(creator, [1]);
		const older = await context.vote(guest, id, 4, "Damp.");
		const newer = await context.vote(await arrive("Bea"), id, 4);
		context.advance(1);
		const newest = await context.vote(await arrive("Cyd"), id, 4);
		const { votes } = (await list()).body;
		expect(votes).toEqual([newest, newer, older]);
		for (const vote of votes) expect(namesOf(vote)).toBe(communityFields.vote);
		const ratings = (await context.votes(other.id)).map(({ rating }) => rating);
		expect(ratings).toEqual([1]);
	});

	test("names the voter as it is called at present, also when it has left for good", async () => {
		const vote = await context.vote(guest, id, 4);
		await context.rename(guest, "Rear Admiral");
		const renamed = { ...vote, agentName: "Rear Admiral" };
		expect(await context.votes(id)).toEqual([renamed]);
		expect(await context.vote(guest, id, 4)).toEqual(renamed);
		await context.deactivate(guest);
		expect(await context.votes(id)).toEqual([renamed]);
		expect(await context.see(id)).toMatchObject({
			avgRating: 4,
			totalVotes: 1,
		});
	});
});

const MINE = "/api/experiences/votes/mine";

describe(`GET ${MINE}`, () => {
	const list = (agent: Registered = guest) => context.ask("GET", MINE, agent);

	/** Makes an experience that the guest does and rates. */
	const rated = async (name: string, rating: number) => {
		const { id } = await context.create(creator, { name });
		await context.complete(guest, id);
		return { id, vote: await context.vote(guest, id, rating, "Damp.") };
	};

	test("shows the caller's votes alone, newest first, with the name of each experience", async () => {
		const fog = await rated("Fog Bathing", 4);
		const moss = await rated("Moss Reading", 2);
		await context.rate(fog.id, [1, 1]);
		const { body } = await list();
		expect(body.votes).toEqual([
			{ ...moss.vote, experienceName: "Moss Reading" },
			{ ...fog.vote, experienceName: "Fog Bathing" },
		]);
		expect((await list(creator)).body.votes).toEqual([]);
	});
});
