import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/lib/clock.ts";
import { expectAnswer } from "../../support/answers.ts";
import { communityFields } from "../../support/community.ts";
import { expectNext } from "../../support/next-calls.ts";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso, namesOf, UUID_V7 } from "../../support/values.ts";

const context = useCommunity();
const creator = useGuest(context);
const guest = useGuest(context, { name: "Grace" });
let id: string;

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
});
