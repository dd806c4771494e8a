import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { expectBrokenBound, iso, namesOf } from "../../support/answers.ts";
import { Community, communityFields } from "../../support/community.ts";
import { pages, pagings } from "../../support/paging.ts";
import type { Registered } from "../../support/resort.ts";

let context: Community;
let creator: Registered;
let id: string;
beforeEach(async () => {
	context = new Community();
	creator = await context.guest();
	({ id } = await context.create(creator));
});
afterEach(() => context.close());

const list = (query = "", ask = {}) =>
	context.ask("GET", `/api/experiences/${id}/votes${query}`, ask);

/** A guest that has completed the experience. */
const arrive = async (name: string) => {
	const guest = await context.guest({ name });
	await context.complete(guest, id);
	return guest;
};

describe("POST /api/experiences/{id}/vote, again", () => {
	test("changes the vote and keeps its id and its time", async () => {
		const guest = await arrive("Grace");
		const before = await context.vote(guest, id, 2, "Damp.");
		context.advance(60_000);
		const after = await context.vote(guest, id, 5, "Better when bored.");
		expect(after).toEqual({
			...before,
			rating: 5,
			review: "Better when bored.",
		});
		expect(await context.votes(id)).toEqual([after]);
		expect(await context.see(id)).toMatchObject({
			avgRating: 5,
			totalVotes: 1,
		});
	});

	test("forgets the review when it says none", async () => {
		const guest = await arrive("Grace");
		for (const none of [{}, { review: null }, { review: " " }]) {
			await context.vote(guest, id, 2, "Damp.");
			const { body } = await context.ask(
				"POST",
				`/api/experiences/${id}/vote`,
				{
					key: guest.key,
					body: { rating: 2, ...none },
				},
			);
			expect(body.vote.review).toBeNull();
			expect((await context.votes(id)).map(({ review }) => review)).toEqual([
				null,
			]);
		}
	});

	test("leaves the votes of others and their order", async () => {
		const guests = [
			await arrive("Ada"),
			await arrive("Bea"),
			await arrive("Cyd"),
		];
		for (const guest of guests) {
			context.advance(1);
			await context.vote(guest, id, 1);
		}
		const [eldest = creator] = guests;
		await context.vote(eldest, id, 4);
		const shown = (await context.votes(id)).map((vote) => [
			vote.agentName,
			vote.rating,
		]);
		expect(shown).toEqual([
			["Cyd", 1],
			["Bea", 1],
			["Ada", 4],
		]);
		expect(await context.see(id)).toMatchObject({
			avgRating: 2,
			totalVotes: 3,
		});
	});
});

describe("GET /api/experiences/{id}/votes", () => {
	test("is an empty list at first", async () => {
		const { status, body } = await list();
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("ok total votes");
		expect(body).toMatchObject({ ok: true, votes: [] });
	});

	test("shows the votes for that experience alone, with the contract's fields", async () => {
		const other = await context.rated(creator, [1]);
		const guest = await arrive("Grace");
		const vote = await context.vote(guest, id, 4, "Damp.");
		const { votes } = (await list()).body;
		expect(votes).toEqual([vote]);
		expect(votes.map(namesOf)).toEqual([communityFields.vote]);
		expect((await context.votes(other.id)).map(({ rating }) => rating)).toEqual(
			[1],
		);
	});

	test("keeps the votes of those who have left for good", async () => {
		const guest = await arrive("Grace");
		const vote = await context.vote(guest, id, 4, "Damp.");
		await context.deactivate(guest);
		expect(await context.votes(id)).toEqual([vote]);
		expect(await context.see(id)).toMatchObject({
			avgRating: 4,
			totalVotes: 1,
		});
	});

	test("names the voter as it is called at present", async () => {
		const guest = await arrive("Grace");
		const vote = await context.vote(guest, id, 4);
		await context.rename(guest, "Rear Admiral");
		const renamed = { ...vote, agentName: "Rear Admiral" };
		expect(await context.votes(id)).toEqual([renamed]);
		expect(await context.vote(guest, id, 4)).toEqual(renamed);
		await context.deactivate(guest);
		expect(await context.votes(id)).toEqual([renamed]);
	});

	test("needs no credential, and ignores a wrong one", async () => {
		expect((await list("", { key: "nobody's key" })).status).toBe(200);
	});

	test("shows them newest first, a page when asked for", async () => {
		const start = context.nowMs;
		for (const rating of [1, 2, 3, 4, 5]) {
			const guest = await arrive("Grace");
			// The third and the fourth are of one moment.
			if (rating !== 4) context.advance(1);
			await context.vote(guest, id, rating);
		}
		for (const { query, shown } of pages) {
			const { votes } = (await list(query)).body;
			expect(votes.map(({ rating }) => rating)).toEqual(shown);
		}
		const times = (await context.votes(id)).map(({ createdAt }) => createdAt);
		const moments = [4, 3, 3, 2, 1].map((after) => iso(start + after));
		expect(times).toEqual(moments);
	});

	test("is whole unless a page is asked for", async () => {
		await context.rate(
			id,
			Array.from({ length: 101 }, () => 4),
		);
		expect((await context.votes(id)).length).toBe(101);
		expect((await list("?limit=100")).body.votes.length).toBe(100);
	});

	test("holds a page to its bounds", async () => {
		for (const { query, fits } of pagings) {
			const answer = await list(`?${query}`);
			if (fits) expect(answer.status, query).toBe(200);
			else expectBrokenBound(answer, query.replace(/=.*/, ""));
		}
	});
});
