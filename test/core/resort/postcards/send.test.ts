import { describe, expect, test } from "bun:test";
import { expectBrokenBound } from "../../../support/answers.ts";
import { useAgent, useGuest, useResort } from "../../../support/use-resort.ts";

const message = "Wish you idle";

const context = useResort();
const sender = useGuest(context, { name: "Grace" });
const recipient = useAgent(context);

const sendTo = (recipientId: unknown) =>
	context.call("POST", "/api/postcards", { key: sender.key, body: { message, recipientId } });
const inbox = () => context.messages("/api/postcards/inbox", recipient);

describe("the field recipientId of POST /api/postcards", () => {
	test("may be an id in upper case or with white space around it", async () => {
		for (const id of [recipient.id.toUpperCase(), ` ${recipient.id}\n`]) {
			const { body } = await sendTo(id);
			expect(body.postcard.visibility).toBe("private");
		}
		expect(await inbox()).toEqual([message, message]);
	});

	test("is refused if it is not a UUID, and no public postcard is sent", async () => {
		const { id } = recipient;
		for (const recipientId of [
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
		]) {
			expectBrokenBound(await sendTo(recipientId), "recipientId");
		}
		expect(await context.messages("/api/postcards")).toEqual([]);
		expect(await inbox()).toEqual([]);
	});
});
