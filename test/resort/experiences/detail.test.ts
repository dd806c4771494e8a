import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { expectRefusal, namesOf } from "../../support/answers.ts";
import { Community, communityFields } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

let context: Community;
let creator: Registered;
let id: string;
let path: string;
beforeEach(async () => {
	context = new Community();
	creator = await context.guest({ name: "Grace" });
	({ id } = await context.create(creator));
	path = `/api/experiences/${id}`;
});
afterEach(() => context.close());

describe("GET /api/experiences/{id}", () => {
	test("shows the experience with the contract's fields", async () => {
		await context.rate(id, [5, 4, 4]);
		await context.complete(creator, id);
		const { status, body } = await context.ask("GET", path);
		expect(status).toBe(200);
		expect(namesOf(body)).toBe("experience ok");
		expect(body.ok).toBe(true);
		expect(namesOf(body.experience)).toBe(communityFields.experience);
		expect(body.experience).toMatchObject({
			id,
			creatorId: creator.id,
			creatorName: "Grace",
			avgRating: 4.33,
			totalVotes: 3,
			totalCompletions: 4,
		});
	});

	test("needs no credential, and ignores a wrong one", async () => {
		const { status } = await context.ask("GET", path, { key: "nobody's key" });
		expect(status).toBe(200);
	});

	test.each([
		[[1, 1, 2], 1.33],
		[[2, 2, 1], 1.67],
		[[1, 2], 1.5],
		[[5, 5, 5], 5],
		[[1, 1, 1, 1, 1, 1, 1, 2], 1.13],
		[[5, 5, 5, 5, 5, 5, 4], 4.86],
		[[4, 3, 3, 3, 3, 3, 3], 3.14],
	])("rounds the average of %p to %p", async (ratings, average) => {
		await context.rate(id, ratings);
		expect((await context.see(id)).avgRating).toBe(average);
	});
});

describe("DELETE /api/experiences/{id}", () => {
	const archive = ({ key }: Registered, of = path) =>
		context.ask("DELETE", of, { key });

	test("archives it", async () => {
		const { status, body } = await archive(creator);
		expect(status).toBe(200);
		expect<unknown>(body).toEqual({
			ok: true,
			experience: { id, status: "archived" },
		});
		expectRefusal(await context.ask("GET", path), 404, "Experience not found");
		expect(await context.names()).toEqual([]);
	});

	test("is 404 the second time", async () => {
		await archive(creator);
		expectRefusal(await archive(creator), 404, "Experience not found");
	});

	test("is 403 for everybody else, and changes nothing", async () => {
		const text = "Only the creator can archive an experience";
		const guest = await context.guest({ name: "Grace" });
		await context.complete(guest, id);
		await context.vote(guest, id, 1);
		expectRefusal(await archive(guest), 403, text);
		const away = await context.register();
		expectRefusal(await archive(away), 403, text);
		expect((await context.see(id)).totalVotes).toBe(1);
	});

	test("needs no stay", async () => {
		await context.checkOut(creator);
		expect((await archive(creator)).status).toBe(200);
	});

	test("takes the session cookie", async () => {
		const session = await context.login(creator.key);
		const { status } = await context.ask("DELETE", path, { session });
		expect(status).toBe(200);
	});

	test("is 401 without a credential, and changes nothing", async () => {
		expectRefusal(await context.ask("DELETE", path), 401, "Unauthorized");
		await context.deactivate(creator);
		expectRefusal(await archive(creator), 401, "Unauthorized");
		expect((await context.see(id)).id).toBe(id);
	});

	test("archives that one alone", async () => {
		const kept = await context.create(creator, { name: "Kept" });
		await archive(creator);
		expect(await context.names()).toEqual(["Kept"]);
		expect((await archive(creator, `/api/experiences/${kept.id}`)).status).toBe(
			200,
		);
	});

	test("leaves what was completed in the log and with the stay", async () => {
		const guest = await context.guest();
		await context.complete(guest, id);
		await archive(creator);
		const log = await context.ask("GET", "/api/activities/log", guest);
		expect(log.body.log.length).toBe(1);
		const { summary } = await context.checkOut(guest);
		expect(summary).toMatchObject({
			activitiesCompleted: 1,
			relaxationPoints: 3,
		});
	});
});
