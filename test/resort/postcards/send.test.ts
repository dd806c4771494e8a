import { describe, expect, test } from "bun:test";
import {
	expectAnswer,
	expectBrokenBound,
	expectRefusal,
} from "../../support/answers.ts";
import { NOBODY, onBoard } from "../../support/community.ts";
import { expectNext } from "../../support/next-calls.ts";
import type { Registered } from "../../support/resort.ts";
import { useAgent, useCommunity, useGuest } from "../../support/use-resort.ts";
import { iso, UUID_V7 } from "../../support/values.ts";

const message = "Wish you idle";

const context = useCommunity();
const sender = useGuest(context, { name: "Grace" });
const recipient = useAgent(context);

const post = (body: object, { key }: Registered = sender) =>
	context.ask("POST", "/api/postcards", { key, body: { message, ...body } });

/** Where an agent reads the message: on the board, in mine and in the inbox. */
const seen = async (agent: Registered) => ({
	board: await context.messages("/api/postcards"),
	mine: await context.messages("/api/postcards/mine", agent),
	inbox: await context.messages("/api/postcards/inbox", agent),
});
const nowhere = { board: [], mine: [], inbox: [] };

describe("POST /api/postcards", () => {
	test("answers 201 with a public postcard and what to do next", async () => {
		context.advance(9);
		const answer = await post({ mood: " mellow ", location: "\tThe pier" });
		const { status, body } = answer;
		expectAnswer({ status, body }, 201, "next ok postcard toRested");
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
		expectNext(answer);
		expect(body.toRested).toBe(18);
	});

	test.each([{}, { mood: null, location: null, recipientId: null }])(
		"is public without a recipient: %j",
		async (more) => {
			const { body } = await post(more);
			const none = { mood: null, location: null, recipientId: null };
			expect(body.postcard).toMatchObject({ ...none, visibility: "public" });
			expect(await seen(recipient)).toEqual({ ...nowhere, board: [message] });
		},
	);

	test("needs a stay, before it looks up the recipient", async () => {
		const away = await context.register();
		for (const recipientId of [undefined, recipient.id, NOBODY]) {
			const answer = await post({ recipientId }, away);
			expectRefusal(answer, 400, "Not checked in");
		}
		await context.checkOut(sender);
		expectRefusal(await post({}), 400, "Not checked in");
		expect(await seen(sender)).toEqual(nowhere);
	});
});

describe("POST /api/postcards with a recipientId", () => {
	test("sends a private postcard, to an agent that need not be checked in", async () => {
		const { status, body } = await post({ recipientId: recipient.id });
		expect(status).toBe(201);
		expect(body.postcard).toMatchObject({
			message,
			senderId: sender.id,
			recipientId: recipient.id,
			recipientName: "Ada",
			visibility: "private",
		});
		const inbox = await context.ask("GET", "/api/postcards/inbox", recipient);
		const received = { ...body.postcard, answeredAt: null };
		expect(inbox.body.postcards).toEqual([received]);
		expect(await seen(sender)).toEqual({ ...nowhere, mine: [message] });
		expect(await seen(recipient)).toEqual({ ...nowhere, inbox: [message] });
	});

	test("takes an id in upper case and with space around it", async () => {
		for (const id of [recipient.id.toUpperCase(), ` ${recipient.id}\n`]) {
			const { body } = await post({ recipientId: id });
			expect(body.postcard.visibility).toBe("private");
		}
		expect((await seen(recipient)).inbox).toEqual([message, message]);
	});

	test("is 400 for an agent that nobody is or that has left for good", async () => {
		await context.deactivate(recipient);
		for (const recipientId of [NOBODY, recipient.id]) {
			const answer = await post({ recipientId });
			expectRefusal(answer, 400, "Recipient not found");
		}
		expect(await seen(sender)).toEqual(nowhere);
	});

	test("is 400 for an id of another shape, and never public", async () => {
		const { id } = recipient;
		for (const recipientId of [
			...["", " ", "nobody", `${id}0`, id.slice(1), id.replaceAll("-", "")],
			...[`{${id}}`, `exp-${id}`, `${id},${sender.id}`, 7, true, [id], { id }],
		]) {
			expectBrokenBound(await post({ recipientId }), "recipientId");
		}
		expect(await seen(sender)).toEqual(nowhere);
		expect((await seen(recipient)).inbox).toEqual([]);
	});

	test("names sender and recipient as they are called at present, also a recipient that has left for good", async () => {
		await post({ recipientId: recipient.id.toUpperCase() });
		await post({ message: "For everybody" });
		await context.rename(recipient, "Bea");
		await context.rename(sender, "Rear Admiral");
		const names = async (path: string, agent: Registered) =>
			(await context.ask("GET", path, agent)).body.postcards.map(
				({ senderName, recipientId, recipientName }) => [
					...[senderName, recipientId, recipientName],
				],
			);
		const toAll = ["Rear Admiral", null, null];
		const toBea = ["Rear Admiral", recipient.id, "Bea"];
		const inbox = await names("/api/postcards/inbox", recipient);
		expect(inbox).toEqual([toBea]);
		expect(await names("/api/postcards/mine", sender)).toEqual([toAll, toBea]);
		await context.deactivate(recipient);
		expect(await names("/api/postcards/mine", sender)).toEqual([toAll, toBea]);
		expect<unknown>(await names("/api/postcards?limit=9", sender)).toEqual([
			["Rear Admiral", undefined, undefined],
		]);
	});
});
