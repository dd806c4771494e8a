import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { House, keyOf } from "../../auth/provider/house.ts";
import {
	expectBrokenBound,
	expectRefusal,
	namesOf,
} from "../../support/answers.ts";
import {
	Community,
	communityFields,
	fogBathing,
} from "../../support/community.ts";
import { pages, pagings } from "../../support/paging.ts";
import type { Ask, Registered } from "../../support/resort.ts";

const PATH = "/api/experiences/votes/mine";

describe(`GET ${PATH}`, () => {
	let context: Community;
	let creator: Registered;
	let guest: Registered;
	beforeEach(async () => {
		context = new Community();
		creator = await context.guest();
		guest = await context.guest({ name: "Grace" });
	});
	afterEach(() => context.close());

	const list = (query = "", ask: Ask = { key: guest.key }) =>
		context.ask("GET", `${PATH}${query}`, ask);

	/** Makes an experience that the guest does and rates. */
	const rated = async (name: string, rating: number) => {
		const { id } = await context.create(creator, { name });
		await context.complete(guest, id);
		return { id, vote: await context.vote(guest, id, rating, "Damp.") };
	};

	test("is an empty list at first", async () => {
		const { status, text } = await list();
		expect(status).toBe(200);
		expect(JSON.parse(text)).toEqual({ ok: true, votes: [], total: 0 });
	});

	test("shows the caller's votes alone, newest first, with the name of each experience", async () => {
		const fog = await rated("Fog Bathing", 4);
		const moss = await rated("Moss Reading", 2);
		await context.rate(fog.id, [1, 1]);
		const { body } = await list();
		expect(body.votes).toEqual([
			{ ...moss.vote, experienceName: "Moss Reading" },
			{ ...fog.vote, experienceName: "Fog Bathing" },
		]);
		const names = `${communityFields.vote} experienceName`.split(" ").sort();
		expect(body.votes.map(namesOf)).toEqual(Array(2).fill(names.join(" ")));
		expect((await list("", { key: creator.key })).body.votes).toEqual([]);
	});

	test("keeps the place of a vote that is changed", async () => {
		const fog = await rated("Fog Bathing", 4);
		context.advance(1);
		const moss = await rated("Moss Reading", 2);
		context.advance(1);
		const changed = await context.vote(guest, fog.id, 5);
		const { votes } = (await list()).body;
		expect(votes.map(({ id }) => id)).toEqual([moss.vote.id, fog.vote.id]);
		expect(votes[1]).toMatchObject({ ...changed, rating: 5, review: null });
	});

	test("shows those on archived experiences too, whoever made them", async () => {
		const fog = await rated("Fog Bathing", 4);
		await context.archive(creator, fog.id);
		const expected = [{ ...fog.vote, experienceName: "Fog Bathing" }];
		expect((await list()).body.votes).toEqual(expected);
		await context.deactivate(creator);
		expect((await list()).body.votes).toEqual(expected);
		expect((await list()).headers.get("cache-control")).toBe("no-store");
	});

	test.each(pages)("shows $shown of five for $query", async (page) => {
		for (const rating of [1, 2, 3, 4, 5]) await rated(`#${rating}`, rating);
		const { votes } = (await list(page.query)).body;
		expect(votes.map(({ rating }) => rating)).toEqual(page.shown);
	});

	test("takes the paging of every whole list", async () => {
		for (const { query, fits } of pagings) {
			const answer = await list(`?${query}`);
			if (fits) expect(answer.status, query).toBe(200);
			else expectBrokenBound(answer, query.replace(/=.*/, ""));
		}
	});

	test("needs a credential: a key or a session", async () => {
		for (const ask of [{}, { key: "nobody's" }, { session: "nobody's" }]) {
			expectRefusal(await list("?limit=0", ask), 401, "Unauthorized");
		}
		const session = await context.login(guest.key);
		expect((await list("", { session })).status).toBe(200);
	});

	test("hides no other route", async () => {
		for (const path of [
			...["/api/experiences/votes", "/api/experiences/votes/votes"],
			"/api/experiences/mine/votes",
		]) {
			const answer = await context.ask("GET", path, guest);
			expectRefusal(answer, 404, "Experience not found");
		}
		const unknown = await context.ask("GET", `${PATH}/votes`, guest);
		expect(unknown.status).toBe(404);
	});
});

test(`GET ${PATH} takes central keys and signed calls`, async () => {
	await using behind = new House();
	const { resort } = behind;
	const key = keyOf("user-1");
	await resort.ask("POST", "/api/checkin", { key });
	const made = await resort.ask("POST", "/api/experiences", {
		key,
		body: fogBathing,
	});
	const path = `/api/experiences/${made.body.experience.id}`;
	await resort.ask("POST", `${path}/do`, { key });
	await resort.ask("POST", `${path}/vote`, { key, body: { rating: 3 } });
	for (const ask of [{ key }, behind.proxied("GET", PATH, "listOwnVotes")]) {
		const { status, body } = await resort.ask("GET", PATH, ask);
		expect(status).toBe(200);
		expect(body.votes.map(({ rating }) => rating)).toEqual([3]);
	}
});
