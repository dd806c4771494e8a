import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Community } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";

let house: Community;
let ada: Registered;
let bea: Registered;
beforeEach(async () => {
	house = new Community();
	ada = await house.guest({ name: "Ada" });
	bea = await house.guest({ name: "Bea" });
	const cards: [Registered, string, Registered | null][] = [
		[ada, "Ada to all", null],
		[ada, "Ada to Bea", bea],
		[bea, "Bea to all", null],
		[bea, "Bea to Ada", ada],
		[bea, "Bea to Bea", bea],
	];
	for (const [sender, message, recipient] of cards) {
		house.advance(1);
		await house.send(sender, { message, recipientId: recipient?.id });
	}
});
afterEach(() => house.close());

test("GET /api/postcards shows the public ones of everybody", async () => {
	const expected = ["Bea to all", "Ada to all"];
	expect(await house.messages("/api/postcards")).toEqual(expected);
	expect(await house.messages("/api/postcards", ada)).toEqual(expected);
});

test("GET /api/postcards counts a page in public ones alone", async () => {
	const page = "/api/postcards?limit=1";
	expect(await house.messages(page)).toEqual(["Bea to all"]);
	expect(await house.messages(`${page}&offset=1`)).toEqual(["Ada to all"]);
	expect(await house.messages(`${page}&offset=2`)).toEqual([]);
});

test("GET /api/postcards/mine shows all that the caller sent", async () => {
	const mine = "/api/postcards/mine";
	expect(await house.messages(mine, ada)).toEqual(["Ada to Bea", "Ada to all"]);
	expect(await house.messages(mine, bea)).toEqual([
		"Bea to Bea",
		"Bea to Ada",
		"Bea to all",
	]);
});

test("GET /api/postcards/inbox shows what was directed to the caller", async () => {
	const inbox = "/api/postcards/inbox";
	expect(await house.messages(inbox, ada)).toEqual(["Bea to Ada"]);
	expect(await house.messages(inbox, bea)).toEqual([
		"Bea to Bea",
		"Ada to Bea",
	]);
	const other = await house.guest();
	expect(await house.messages(inbox, other)).toEqual([]);
});

describe("what an agent has sent", () => {
	const stats = async (agent: Registered) =>
		(await house.ask("GET", "/api/stats", agent)).body.stats;

	test("counts in the stats, public or private, the open stay too", async () => {
		expect((await stats(ada)).totalPostcardsSent).toBe(2);
		expect((await stats(bea)).totalPostcardsSent).toBe(3);
		await house.checkOut(ada);
		expect((await stats(ada)).totalPostcardsSent).toBe(2);
		await house.ask("POST", "/api/checkin", ada);
		await house.send(ada);
		expect(await stats(ada)).toEqual({
			totalStays: 2,
			totalRelaxationPoints: 0,
			totalActivitiesCompleted: 0,
			totalPostcardsSent: 3,
		});
	});

	test("counts in the summary of its own stay alone", async () => {
		const { summary } = await house.checkOut(ada);
		expect(summary).toMatchObject({
			postcardsSent: 2,
			activitiesCompleted: 0,
			relaxationPoints: 0,
		});
		await house.ask("POST", "/api/checkin", ada);
		await house.send(ada);
		expect((await house.checkOut(ada)).summary.postcardsSent).toBe(1);
		await house.ask("POST", "/api/checkin", ada);
		expect((await house.checkOut(ada)).summary.postcardsSent).toBe(0);
		expect((await house.checkOut(bea)).summary.postcardsSent).toBe(3);
	});

	test("counts exactly when sent at the same moment", async () => {
		const cards = await Promise.all(
			Array.from({ length: 40 }, (_, at) =>
				house.send(ada, { recipientId: at % 2 === 0 ? bea.id : null }),
			),
		);
		expect(new Set(cards.map(({ id }) => id)).size).toBe(40);
		expect((await house.checkOut(ada)).summary.postcardsSent).toBe(42);
	});

	test("counts nothing that was refused", async () => {
		const refused = { message: "Hello?", recipientId: ada.id };
		await house.deactivate(bea);
		for (const body of [{ ...refused, recipientId: bea.id }, { message: "" }]) {
			const answer = await house.ask("POST", "/api/postcards", {
				key: ada.key,
				body,
			});
			expect(answer.status).toBe(400);
		}
		expect((await house.checkOut(ada)).summary.postcardsSent).toBe(2);
	});
});
