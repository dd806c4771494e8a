import { describe, expect, test } from "bun:test";
import {
	expectBrokenBound,
	expectRefusal,
	namesOf,
} from "../../support/answers.ts";
import { communityFields } from "../../support/community.ts";
import type { Registered } from "../../support/resort.ts";
import { useAgent, useCommunity, useGuest } from "../../support/use-resort.ts";

const message = "For your eyes";

describe("POST /api/postcards with a recipientId", () => {
	const context = useCommunity();
	const sender = useGuest(context, { name: "Grace" });
	const recipient = useAgent(context);

	const post = (recipientId: unknown, { key } = sender) =>
		context.ask("POST", "/api/postcards", {
			key,
			body: { message, recipientId },
		});

	/** Who sees the message: on the board, in mine and in the inbox. */
	const seen = async (agent: Registered) => ({
		board: await context.messages("/api/postcards"),
		mine: await context.messages("/api/postcards/mine", agent),
		inbox: await context.messages("/api/postcards/inbox", agent),
	});

	test("sends a private postcard, to one who need not be checked in", async () => {
		const { status, body } = await post(recipient.id);
		expect(status).toBe(201);
		expect(namesOf(body.postcard)).toBe(communityFields.ownPostcard);
		expect(body.postcard).toMatchObject({
			message,
			senderId: sender.id,
			recipientId: recipient.id,
			recipientName: "Ada",
			visibility: "private",
		});
		const inbox = await context.ask("GET", "/api/postcards/inbox", recipient);
		expect(inbox.body.postcards).toEqual([body.postcard]);
		expect(await seen(sender)).toEqual({
			board: [],
			mine: [message],
			inbox: [],
		});
		expect(await seen(recipient)).toEqual({
			board: [],
			mine: [],
			inbox: [message],
		});
	});

	test("takes an id in upper case and with space around it", async () => {
		for (const id of [recipient.id.toUpperCase(), ` ${recipient.id}\n`]) {
			const { status, body } = await post(id);
			expect(status).toBe(201);
			expect(body.postcard.visibility).toBe("private");
		}
		expect((await seen(recipient)).inbox).toEqual([message, message]);
	});

	test("takes one's own id", async () => {
		const { status, body } = await post(sender.id);
		expect(status).toBe(201);
		expect(body.postcard.visibility).toBe("private");
		expect(await seen(sender)).toEqual({
			board: [],
			mine: [message],
			inbox: [message],
		});
	});

	test("is 400 for an agent that nobody is", async () => {
		const unknown = "00000000-0000-7000-8000-000000000000";
		expectRefusal(await post(unknown), 400, "Recipient not found");
		expect(await seen(sender)).toEqual({ board: [], mine: [], inbox: [] });
	});

	test("is 400 for an agent that has left for good", async () => {
		await post(recipient.id);
		await context.deactivate(recipient);
		expectRefusal(await post(recipient.id), 400, "Recipient not found");
		expect((await seen(sender)).mine).toEqual([message]);
	});

	test("asks for the stay before the recipient", async () => {
		const away = await context.register();
		const nobody = "00000000-0000-7000-8000-000000000000";
		for (const id of [recipient.id, nobody]) {
			expectRefusal(await post(id, away), 400, "Not checked in");
		}
	});

	test("is 400 for an id of another shape, and never public", async () => {
		const { id } = recipient;
		const shapes = [
			"",
			" ",
			"nobody",
			`${id}0`,
			id.slice(1),
			id.replaceAll("-", ""),
			`{${id}}`,
			`exp-${id}`,
			`${id},${sender.id}`,
			7,
			true,
			[id],
			{ id },
		];
		for (const shape of shapes) {
			expectBrokenBound(await post(shape), "recipientId");
		}
		expect(await seen(sender)).toEqual({ board: [], mine: [], inbox: [] });
		expect((await seen(recipient)).inbox).toEqual([]);
	});

	test("keeps what was sent when the sender has left for good", async () => {
		await post(recipient.id);
		await context.send(sender, { message: "For everybody" });
		await context.deactivate(sender);
		expect(await seen(recipient)).toEqual({
			board: ["For everybody"],
			mine: [],
			inbox: [message],
		});
	});

	test("tells whom it is for, as it is called at present, also when it has left for good", async () => {
		await post(recipient.id.toUpperCase());
		await context.send(sender, { message: "For everybody" });
		const whom = async (path: string, agent: Registered) =>
			(await context.ask("GET", path, agent)).body.postcards.map(
				({ recipientId, recipientName }) => [recipientId, recipientName],
			);
		await context.rename(recipient, "Bea");
		const { id } = recipient;
		const inbox = await whom("/api/postcards/inbox", recipient);
		expect(inbox).toEqual([[id, "Bea"]]);
		const sent = [
			[null, null],
			[id, "Bea"],
		];
		expect(await whom("/api/postcards/mine", sender)).toEqual(sent);
		await context.deactivate(recipient);
		expect(await whom("/api/postcards/mine", sender)).toEqual(sent);
		expect(await whom("/api/postcards?limit=9", sender)).toEqual([
			[undefined, undefined],
		] as never);
	});

	test("shows the sender as it is called at present", async () => {
		await post(recipient.id);
		await context.send(sender);
		await context.rename(sender, "Rear Admiral");
		const reading: [string, Registered][] = [
			["/api/postcards", recipient],
			["/api/postcards/mine", sender],
			["/api/postcards/inbox", recipient],
		];
		for (const [path, { key }] of reading) {
			const { postcards } = (await context.ask("GET", path, { key })).body;
			const names = postcards.map(({ senderName }) => senderName);
			expect(new Set(names)).toEqual(new Set(["Rear Admiral"]));
		}
	});
});
