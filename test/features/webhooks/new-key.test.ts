/** Tests that a new key ends the webhooks that were created with the old key. */
import { describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { until } from "../../support/until.ts";
import { Visitor } from "../pages/support/visitor.ts";
import { WebhookScene } from "./receiver.ts";

const scene = new WebhookScene();

async function states(key: string): Promise<string[]> {
	const { body } = await scene.context.call("GET", "/api/webhooks", { key });
	return body.webhooks.map(({ state }) => state);
}

/** Starts a call that sends a ping. The receiver answers the ping when the returned function is called. */
async function callWithPing<T>(call: () => Promise<T>) {
	const { promise, resolve } = Promise.withResolvers<number>();
	scene.receiver.answer = () => promise;
	const calling = call();
	await until(() => scene.receiver.pings.length === 2);
	return () => {
		resolve(204);
		return calling;
	};
}

const body = () => ({ url: scene.receiver.url() });

/** Replaces the owner's key, and returns the new one. The form on the page /me uses the same code. */
const replaceKey = async () => (await scene.call("POST", "/api/me/api-key")).body.apiKey;

const resetKey = () => scene.context.byHost(`/agents/${scene.owner.id}/reset-key`);

describe("a new key", () => {
	test.each([
		["POST /api/me/api-key", replaceKey],
		["`resort admin reset-key`", async () => (await resetKey()).apiKey],
	])("from %s ends all webhooks of its agent, and no others", async (_, replace) => {
		const other = await scene.context.guest({ name: "Other" });
		await scene.subscribe();
		await scene.subscribe({ types: ["postcard.received"] });
		await scene.context.call("POST", "/api/webhooks", { key: other.key, body: body() });
		const key = await replace();
		expect(await states(key)).toEqual(["ended", "ended"]);
		expect(await states(other.key)).toEqual(["active"]);
		// The private postcard is sent first. If a webhook of the owner were still active, it would therefore
		// receive this postcard before the other agent's webhook receives the public one.
		const send = (recipientId: string | null) =>
			scene.context.sendPostcard(other, { message: "Hello", recipientId });
		await send(scene.owner.id);
		await send(null);
		await scene.receiver.has(1);
		await scene.hasOnly(1);
		expect(scene.receiver.types).toEqual(["postcard.sent"]);
	});

	test.each(["/api/webhooks", "/api/webhooks/:id/test"])(
		"makes a call of POST %s fail if the call began with the old key",
		async (path) => {
			const { id } = await scene.subscribe();
			const finish = await callWithPing(() => scene.call("POST", path.replace(":id", id), { body: body() }));
			const key = await replaceKey();
			expectFailure(await finish(), 401);
			expect(await states(key)).toEqual(["ended"]);
		},
	);
});

test("a call of POST /api/webhooks fails if DELETE /api/sessions ends the caller's session in the meantime", async () => {
	await scene.subscribe();
	const session = await scene.context.login(scene.owner.key);
	const headers = { origin: "http://resort.test" };
	const finish = await callWithPing(() =>
		scene.context.call("POST", "/api/webhooks", { session, headers, body: body() }),
	);
	await scene.call("DELETE", "/api/sessions");
	expectFailure(await finish(), 401);
	// DELETE /api/sessions replaces no key, so the first webhook stays active.
	expect(await states(scene.owner.key)).toEqual(["active"]);
});

test("the response with a new key contains the number of webhooks that the key has ended", async () => {
	await scene.subscribe();
	await scene.subscribe();
	const first = await scene.call("POST", "/api/me/api-key");
	expect(first.body.hint).toBe("Your webhooks have ended (2). POST /api/webhooks creates new ones.");
	const second = await scene.context.call("POST", "/api/me/api-key", { key: first.body.apiKey });
	expect(second.body).not.toHaveProperty("hint");
	expect(await resetKey()).toMatchObject({ webhooksEnded: 0 });
});

test("the page /me and `resort admin agent` list the webhooks of an agent", async () => {
	const { id } = await scene.subscribe();
	const { url } = body();
	const visitor = await new Visitor(scene.context).signIn(scene.owner.key);
	const page = (await visitor.open()).text;
	expect(page).toContain("<h2>Webhooks</h2>");
	expect(page).toContain(url);
	const shown = await scene.context.host("GET", `/agents/${scene.owner.id}`);
	const webhooks = [{ id, url, state: "active", lastDeliveryAt: null }];
	expect(shown.body).toMatchObject({ agent: { webhooks } } as object);
});
