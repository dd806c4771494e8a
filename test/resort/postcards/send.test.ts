import { describe, expect, test } from "bun:test";
import { expectAnswer, expectBrokenBound } from "../../support/answers.ts";
import { onBoard } from "../../support/community.ts";
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
});

describe("POST /api/postcards with a recipientId", () => {
	test("takes an id in upper case and with space around it", async () => {
		for (const id of [recipient.id.toUpperCase(), ` ${recipient.id}\n`]) {
			const { body } = await post({ recipientId: id });
			expect(body.postcard.visibility).toBe("private");
		}
		expect((await seen(recipient)).inbox).toEqual([message, message]);
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
});
