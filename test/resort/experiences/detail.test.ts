import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { expectRefusal, namesOf } from "../../support/answers.ts";
import { Community, communityFields } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

let house: Community;
let creator: Registered;
let id: string;
let path: string;
beforeEach(async () => {
	house = new Community();
	creator = await house.guest({ name: "Grace" });
	({ id } = await house.create(creator));
	path = `/api/experiences/${id}`;
});
afterEach(() => house.close());

describe("GET /api/experiences/{id}", () => {
	test("shows the experience with the contract's fields", async () => {
		await house.rate(id, [5, 4, 4]);
		await house.complete(creator, id);
		const { status, body } = await house.ask("GET", path);
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
		const { status } = await house.ask("GET", path, { key: "nobody's key" });
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
		await house.rate(id, ratings);
		expect((await house.see(id)).avgRating).toBe(average);
	});
});

describe("DELETE /api/experiences/{id}", () => {
	const archive = ({ key }: Registered, of = path) =>
		house.ask("DELETE", of, { key });

	test("archives it", async () => {
		const { status, body } = await archive(creator);
		expect(status).toBe(200);
		expect<unknown>(body).toEqual({
			ok: true,
			experience: { id, status: "archived" },
		});
		expectRefusal(await house.ask("GET", path), 404, "Experience not found");
		expect(await house.names()).toEqual([]);
	});

	test("is 404 the second time", async () => {
		await archive(creator);
		expectRefusal(await archive(creator), 404, "Experience not found");
	});

	test("is 403 for everybody else, and changes nothing", async () => {
		const text = "Only the creator can archive an experience";
		const guest = await house.guest({ name: "Grace" });
		await house.complete(guest, id);
		await house.vote(guest, id, 1);
		expectRefusal(await archive(guest), 403, text);
		const away = await house.register();
		expectRefusal(await archive(away), 403, text);
		expect((await house.see(id)).totalVotes).toBe(1);
	});

	test("needs no stay", async () => {
		await house.checkOut(creator);
		expect((await archive(creator)).status).toBe(200);
	});

	test("takes the session cookie", async () => {
		const session = await house.login(creator.key);
		const { status } = await house.ask("DELETE", path, { session });
		expect(status).toBe(200);
	});

	test("is 401 without a credential, and changes nothing", async () => {
		expectRefusal(await house.ask("DELETE", path), 401, "Unauthorized");
		await house.deactivate(creator);
		expectRefusal(await archive(creator), 401, "Unauthorized");
		expect((await house.see(id)).id).toBe(id);
	});

	test("archives that one alone", async () => {
		const kept = await house.create(creator, { name: "Kept" });
		await archive(creator);
		expect(await house.names()).toEqual(["Kept"]);
		expect((await archive(creator, `/api/experiences/${kept.id}`)).status).toBe(
			200,
		);
	});

	test("leaves what was completed in the log and with the stay", async () => {
		const guest = await house.guest();
		await house.complete(guest, id);
		await archive(creator);
		const log = await house.ask("GET", "/api/activities/log", guest);
		expect(log.body.log.length).toBe(1);
		const { summary } = await house.checkOut(guest);
		expect(summary).toMatchObject({
			activitiesCompleted: 1,
			relaxationPoints: 3,
		});
	});
});
