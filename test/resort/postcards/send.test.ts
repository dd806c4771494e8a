import { describe, expect, test } from "bun:test";
import {
	expectNext,
	expectRefusal,
	iso,
	namesOf,
	UUID_V7,
} from "../../support/answers.ts";
import { communityFields, onBoard } from "../../support/community.ts";
import { useCommunity, useGuest } from "../../support/use-resort.ts";

const message = "Wish you idle";

describe("POST /api/postcards", () => {
	const context = useCommunity();
	const sender = useGuest(context, { name: "Grace" });

	const post = (body: object, key = sender.key) =>
		context.ask("POST", "/api/postcards", { key, body });

	test("answers 201 with a public postcard and the contract's fields", async () => {
		context.advance(9);
		const { status, body } = await post({
			message: ` ${message}\n`,
			mood: " mellow ",
			location: "\tThe pier",
		});
		expect(status).toBe(201);
		expect(namesOf(body)).toBe("next ok postcard");
		expect(body.ok).toBe(true);
		expect(namesOf(body.postcard)).toBe(communityFields.ownPostcard);
		expect(body.postcard).toEqual({
			id: expect.stringMatching(UUID_V7),
			senderName: "Grace",
			senderId: sender.id,
			message,
			mood: "mellow",
			location: "The pier",
			visibility: "public",
			createdAt: iso(context.nowMs),
			recipientId: null,
			recipientName: null,
		});
		const { postcards } = (await context.ask("GET", "/api/postcards")).body;
		expect<unknown>(postcards).toEqual([onBoard(body.postcard)]);
	});

	test("suggests to check out first of all", async () => {
		const answer = await post({ message });
		expectNext(answer);
		const [first] = answer.body.next;
		expect(first).toMatchObject({ method: "POST", path: "/api/checkout" });
	});

	test("ignores what only the resort can say", async () => {
		const { body } = await post({
			message,
			id: "mine",
			senderId: "me",
			senderName: "Somebody",
			visibility: "private",
			createdAt: "1999-01-01T00:00:00.000Z",
		});
		expect(body.postcard).toMatchObject({
			senderId: sender.id,
			senderName: "Grace",
			visibility: "public",
			createdAt: iso(context.nowMs),
		});
		expect(body.postcard.id).toMatch(UUID_V7);
		expect(await context.messages("/api/postcards")).toEqual([message]);
	});

	test("needs a stay", async () => {
		const away = await context.register();
		expectRefusal(await post({ message }, away.key), 400, "Not checked in");
		await context.checkOut(sender);
		expectRefusal(await post({ message }), 400, "Not checked in");
		expect(await context.messages("/api/postcards/mine", sender)).toEqual([]);
	});
});
