import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../../src/lib/clock.ts";
import { expectRefusal, iso, namesOf, UUID_V7 } from "../../support/answers.ts";
import {
	Community,
	communityFields,
	fogBathing,
} from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

describe("POST /api/experiences", () => {
	let context: Community;
	let guest: Registered;
	beforeEach(async () => {
		context = new Community();
		guest = await context.guest({ name: "Grace" });
	});
	afterEach(() => context.close());

	const post = (body: object, key = guest.key) =>
		context.ask("POST", "/api/experiences", { key, body });

	test("answers 201 with the experience and its first aggregates", async () => {
		context.advance(1234);
		const given = { ...fogBathing, relaxationPoints: 7, maxParticipants: 12 };
		const { status, body, headers } = await post(given);
		expect(status).toBe(201);
		expect(headers.get("content-type")).toBe("application/json");
		expect(namesOf(body)).toBe("experience next ok");
		expect(body.ok).toBe(true);
		expect(namesOf(body.experience)).toBe(communityFields.experience);
		expect(body.experience).toMatchObject({
			...given,
			creatorId: guest.id,
			creatorName: "Grace",
			createdAt: iso(context.nowMs),
			avgRating: null,
			totalVotes: 0,
			totalCompletions: 0,
		});
	});

	test("gives ids that are exp- and a UUID, a new one each time", async () => {
		const ids = [await context.create(guest), await context.create(guest)].map(
			({ id }) => id,
		);
		expect(new Set(ids).size).toBe(2);
		for (const id of ids) {
			expect(id).toStartWith("exp-");
			expect(id.slice("exp-".length)).toMatch(UUID_V7);
		}
	});

	test.each([
		["absent", {}],
		["null", { relaxationPoints: null, maxParticipants: null }],
	])(
		"gives 3 points and takes any number when both are %s",
		async (_, more) => {
			const { status, body } = await post({ ...fogBathing, ...more });
			expect(status).toBe(201);
			expect(body.experience).toMatchObject({
				relaxationPoints: 3,
				maxParticipants: null,
			});
		},
	);

	test("can be seen by anybody as it was answered", async () => {
		const experience = await context.create(guest);
		expect(await context.see(experience.id)).toEqual(experience);
	});

	test("stores its texts trimmed", async () => {
		const { body } = await post({
			...fogBathing,
			name: "  Fog Bathing\t",
			category: "\n water ",
			description: " Stand in the fog until it is bored.\u00a0",
			location: "\r\nThe pier  ",
		});
		expect(body.experience).toMatchObject(fogBathing);
	});

	test("ignores what only the resort can say", async () => {
		const claims = {
			id: "exp-mine",
			creatorId: "me",
			creatorName: "Somebody",
			createdAt: "1999-01-01T00:00:00.000Z",
			avgRating: 5,
			totalVotes: 3,
			totalCompletions: 99,
			archivedAt: 1,
		};
		const { experience } = (await post({ ...fogBathing, ...claims })).body;
		expect(namesOf(experience)).toBe(communityFields.experience);
		for (const [name, claim] of Object.entries(claims)) {
			expect(Object.entries(experience)).not.toContainEqual([name, claim]);
		}
		expect(await context.names()).toEqual(["Fog Bathing"]);
	});

	test("needs a stay", async () => {
		const stranger = await context.register();
		expectRefusal(await post(fogBathing, stranger.key), 400, "Not checked in");
		await context.checkOut(guest);
		expectRefusal(await post(fogBathing), 400, "Not checked in");
		expect(await context.names()).toEqual([]);
	});

	test("needs a stay that has not passed the longest time allowed", async () => {
		const brief = new Community({ maxStayMs: HOUR_MS });
		const { key } = await brief.guest();
		const ask = { key, body: fogBathing };
		brief.advance(HOUR_MS - 1);
		expect((await brief.ask("POST", "/api/experiences", ask)).status).toBe(201);
		brief.advance(1);
		const late = await brief.ask("POST", "/api/experiences", ask);
		expectRefusal(late, 400, "Not checked in");
		await brief.close();
	});

	test("takes the session cookie", async () => {
		const session = await context.login(guest.key);
		const ask = { session, body: fogBathing };
		const { status, body } = await context.ask("POST", "/api/experiences", ask);
		expect(status).toBe(201);
		expect(body.experience.creatorId).toBe(guest.id);
	});

	test("is 401 without a credential, whatever the body", async () => {
		for (const body of [fogBathing, { name: "F" }, {}]) {
			const answer = await context.ask("POST", "/api/experiences", { body });
			expectRefusal(answer, 401, "Unauthorized");
		}
		await context.deactivate(guest);
		expectRefusal(await post(fogBathing), 401, "Unauthorized");
	});
});
