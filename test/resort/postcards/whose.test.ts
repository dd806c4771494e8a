import { beforeEach, describe, expect, test } from "bun:test";
import type { Registered } from "../../support/resort.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

const context = useCommunity();
const ada = useGuest(context, { name: "Ada" });
const bea = useGuest(context, { name: "Bea" });
beforeEach(async () => {
	const cards: [Registered, string, Registered | null][] = [
		[ada, "Ada to all", null],
		[ada, "Ada to Bea", bea],
		[bea, "Bea to all", null],
		[bea, "Bea to Ada", ada],
		[bea, "Bea to Bea", bea],
	];
	for (const [sender, message, recipient] of cards) {
		context.advance(1);
		await context.send(sender, { message, recipientId: recipient?.id });
	}
});

test("GET /api/postcards shows the public ones of everybody", async () => {
	const expected = ["Bea to all", "Ada to all"];
	expect(await context.messages("/api/postcards")).toEqual(expected);
	expect(await context.messages("/api/postcards", ada)).toEqual(expected);
});

test("GET /api/postcards counts a page in public ones alone", async () => {
	const page = "/api/postcards?limit=1";
	expect(await context.messages(page)).toEqual(["Bea to all"]);
	expect(await context.messages(`${page}&offset=1`)).toEqual(["Ada to all"]);
	expect(await context.messages(`${page}&offset=2`)).toEqual([]);
});

test("GET /api/postcards/mine shows all that the caller sent", async () => {
	const mine = "/api/postcards/mine";
	expect(await context.messages(mine, ada)).toEqual([
		"Ada to Bea",
		"Ada to all",
	]);
	expect(await context.messages(mine, bea)).toEqual([
		"Bea to Bea",
		"Bea to Ada",
		"Bea to all",
	]);
});

test("GET /api/postcards/inbox shows what was directed to the caller", async () => {
	const inbox = "/api/postcards/inbox";
	expect(await context.messages(inbox, ada)).toEqual(["Bea to Ada"]);
	expect(await context.messages(inbox, bea)).toEqual([
		"Bea to Bea",
		"Ada to Bea",
	]);
	const other = await context.guest();
	expect(await context.messages(inbox, other)).toEqual([]);
});

describe("what an agent has sent", () => {
	const stats = async (agent: Registered) =>
		(await context.ask("GET", "/api/stats", agent)).body.stats;

	test("counts in the stats, public or private, the open stay too", async () => {
		expect((await stats(ada)).totalPostcardsSent).toBe(2);
		expect((await stats(bea)).totalPostcardsSent).toBe(3);
		await context.checkOut(ada);
		expect((await stats(ada)).totalPostcardsSent).toBe(2);
		await context.ask("POST", "/api/checkin", ada);
		await context.send(ada);
		expect(await stats(ada)).toEqual({
			totalStays: 2,
			totalRelaxationPoints: 0,
			totalActivitiesCompleted: 0,
			totalPostcardsSent: 3,
		});
	});

	test("counts in the summary of its own stay alone", async () => {
		const { summary } = await context.checkOut(ada);
		expect(summary).toMatchObject({
			postcardsSent: 2,
			activitiesCompleted: 0,
			relaxationPoints: 0,
		});
		await context.ask("POST", "/api/checkin", ada);
		await context.send(ada);
		expect((await context.checkOut(ada)).summary.postcardsSent).toBe(1);
		await context.ask("POST", "/api/checkin", ada);
		expect((await context.checkOut(ada)).summary.postcardsSent).toBe(0);
		expect((await context.checkOut(bea)).summary.postcardsSent).toBe(3);
	});

	test("counts exactly when sent at the same moment", async () => {
		const cards = await Promise.all(
			Array.from({ length: 40 }, (_, at) =>
				context.send(ada, { recipientId: at % 2 === 0 ? bea.id : null }),
			),
		);
		expect(new Set(cards.map(({ id }) => id)).size).toBe(40);
		expect((await context.checkOut(ada)).summary.postcardsSent).toBe(42);
	});

	test("counts nothing that was refused", async () => {
		const refused = { message: "Hello?", recipientId: ada.id };
		await context.deactivate(bea);
		for (const body of [{ ...refused, recipientId: bea.id }, { message: "" }]) {
			const answer = await context.ask("POST", "/api/postcards", {
				key: ada.key,
				body,
			});
			expect(answer.status).toBe(400);
		}
		expect((await context.checkOut(ada)).summary.postcardsSent).toBe(2);
	});
});
