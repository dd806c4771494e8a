import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	expectBrokenBound,
	expectNext,
	expectRefusal,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { unstorable } from "../../support/bodies.ts";
import { textBounds } from "../../support/bounds.ts";
import { Community, communityFields } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

describe("POST /api/experiences/{id}/vote", () => {
	let context: Community;
	let creator: Registered;
	let guest: Registered;
	let id: string;
	beforeEach(async () => {
		context = new Community();
		creator = await context.guest();
		guest = await context.guest({ name: "Grace" });
		({ id } = await context.create(creator));
		await context.complete(guest, id);
	});
	afterEach(() => context.close());

	const vote = (body: object, agent = guest) =>
		context.ask("POST", `/api/experiences/${id}/vote`, {
			key: agent.key,
			body,
		});

	test("answers 200 with the vote and the experience as it is then", async () => {
		context.advance(77);
		const { status, body } = await vote({ rating: 4, review: " Damp. " });
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("experience next ok vote");
		expect(body.ok).toBe(true);
		expect(namesOf(body.vote)).toBe(communityFields.vote);
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

	test("says what makes sense now: a guest may leave, who has left may come back", async () => {
		const first = await vote({ rating: 4 });
		expectNext(first);
		const paths = first.body.next.map(({ path }) => path);
		expect(paths).toContain("/api/checkout");
		await context.checkOut(guest);
		const later = await vote({ rating: 5 });
		expectNext(later);
		const others = later.body.next.map(({ path }) => path);
		expect(others).toContain("/api/checkin");
		expect(others).not.toContain("/api/checkout");
	});

	test.each([
		[{ rating: 0 }, false],
		[{ rating: 1 }, true],
		[{ rating: 5 }, true],
		[{ rating: 6 }, false],
		[{ rating: -1 }, false],
		[{ rating: 1.5 }, false],
		[{ rating: 4.999999 }, false],
		[{ rating: 3.0 }, true],
		[{ rating: "3" }, false],
		[{ rating: "" }, false],
		[{ rating: true }, false],
		[{ rating: null }, false],
		[{ rating: [3] }, false],
		[{ rating: {} }, false],
		[{ review: "no rating" }, false],
		[{ RATING: 3 }, false],
	])("%j: fits is %p", async (body, fits) => {
		const answer = await vote(body);
		if (fits) {
			expect(answer.status).toBe(200);
			expect(answer.body.vote).toMatchObject(body);
		} else {
			expectBrokenBound(answer, "rating");
			expect(await context.votes(id)).toEqual([]);
		}
	});

	test("takes a review of up to 500 characters", async () => {
		for (const { value, fits } of textBounds(0, 500)) {
			const answer = await vote({ rating: 3, review: value });
			if (fits) expect(answer.body.vote.review).toBe(value || null);
			else expectBrokenBound(answer, "review");
		}
		for (const review of [...unstorable, 7, true, ["fine"], {}]) {
			expectBrokenBound(await vote({ rating: 3, review }), "review");
		}
	});

	test("holds a review that is null or empty for none", async () => {
		for (const review of [undefined, null, "", "  \t"]) {
			const { status, body } = await vote({ rating: 3, review });
			expect(status).toBe(200);
			expect(body.vote.review).toBeNull();
		}
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

	test("needs no stay: a completion counts for good", async () => {
		await context.checkOut(guest);
		expect((await vote({ rating: 2 })).status).toBe(200);
		context.advance(400 * 24 * 3_600_000);
		expect((await vote({ rating: 5 })).body.experience).toMatchObject({
			avgRating: 5,
			totalVotes: 1,
		});
	});

	test("takes the session cookie; nothing is 401", async () => {
		const path = `/api/experiences/${id}/vote`;
		const session = await context.login(guest.key);
		const good = { body: { rating: 5 } };
		const { status } = await context.ask("POST", path, { session, ...good });
		expect(status).toBe(200);
		const bad = { body: { rating: 6 } };
		expectRefusal(await context.ask("POST", path, bad), 401, "Unauthorized");
		await context.deactivate(guest);
		expectRefusal(await vote({ rating: 1 }), 401, "Unauthorized");
		expect((await context.see(id)).avgRating).toBe(5);
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
});
