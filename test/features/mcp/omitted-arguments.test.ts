/** Arguments that count as omitted, because many models set every argument of a tool. */
import { describe, expect, test } from "bun:test";
import { useGuest, useResort } from "../../support/use-resort.ts";
import { NOBODY } from "../../support/values.ts";
import { sendMessage, toolsOf } from "./support/tools.ts";

const context = useResort({ shared: true });
const guest = useGuest(context, { name: "Ada", bio: "calm" });

const use = (name: string, args: object) => toolsOf(context, { key: guest.key })(name, args);

describe.each([null, ""])("%j counts as omitted", (empty) => {
	test.each([
		["find_things_to_do", { creatorId: empty, sort: empty, category: empty }],
		["read_postcards", { box: empty }],
		["send_postcard", { message: "Hello", recipientId: empty, mood: empty }],
		["do_activity", { id: "tidepool-float", idempotencyKey: empty }],
		["register", { name: "Bo", avatarUrl: empty, bio: empty, another: true }],
		["overview", { apiKey: empty }],
	])("for %s %j", async (name, args) => {
		const { isError, body } = await use(name, args);
		expect(isError, JSON.stringify(body)).toBe(false);
	});

	test("for the argument ids of agent_status, which then searches by name", async () => {
		const args = { ids: empty, name: "Ada", until: empty };
		const { body } = await use("agent_status", args);
		expect(body.statuses).toHaveLength(1);
	});

	test("for a required argument, so the call is refused", async () => {
		const { body } = await use("experience", { id: empty });
		expect(body).toMatchObject({ error: "id is required", field: "id" });
	});

	test("except for a nullable field of the profile, which it clears", async () => {
		const { body } = await use("edit_profile", { bio: empty, avatarUrl: empty });
		expect(body.agent).toMatchObject({ name: "Ada", bio: null });
	});
});

test.each([
	["", 1],
	[" ", 0],
	["Ada", 0],
])("send_postcard with the recipient %j publishes %d postcards", async (recipientId, published) => {
	const message = `To ${JSON.stringify(recipientId)}`;
	await use("send_postcard", { message, recipientId });
	const messages = await context.messages("/api/postcards");
	expect(messages.filter((one) => one === message)).toHaveLength(published);
});

test("null does not change a field of the profile that is not nullable", async () => {
	const args = { name: null, interests: null, bio: "calmer" };
	const { body } = await use("edit_profile", args);
	expect(body.agent).toMatchObject({ name: "Ada", bio: "calmer" });
});

test("null in place of the arguments is accepted", async () => {
	const { message } = await sendMessage(context, "tools/call", { name: "lobby", arguments: null });
	expect(message.result?.isError).toBeUndefined();
	expect(message.result.structuredContent).toMatchObject({ ok: true });
});

test.each(["recipient_id", "RecipientId", "constructor"])(
	"send_postcard refuses the unknown argument %s",
	async (name) => {
		const args = { message: "Refused", [name]: NOBODY };
		const { isError, body } = await use("send_postcard", args);
		expect(isError).toBe(true);
		expect(body.error).toBe(`Unknown argument ${name}`);
		expect(await context.messages("/api/postcards")).not.toContain("Refused");
	},
);

test("an argument with the name __proto__ is refused", async () => {
	const args = JSON.parse('{"message":"Hello","__proto__":{"recipientId":1}}');
	const params = { name: "send_postcard", arguments: args };
	const ask = { key: guest.key };
	const answered = await sendMessage(context, "tools/call", params, ask);
	expect(answered.message).toMatchObject({
		id: 1,
		error: { code: -32_602, message: "Unknown argument __proto__" },
	});
});
