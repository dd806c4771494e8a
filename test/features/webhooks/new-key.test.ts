import { describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/answers.ts";
import { WebhookScene } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";
import { Visitor } from "../../support/visitor.ts";

const scene = new WebhookScene();

/** The states of all webhooks of the owner, as its newest key sees them. */
async function states(key: string): Promise<string[]> {
	const { body } = await scene.context.ask("GET", "/api/webhooks", { key });
	return body.webhooks.map(({ state }) => state);
}

/** The ways to replace the owner's key. Each returns the new key. */
const replacements = {
	"POST /api/me/api-key": async () => (await scene.ask("POST", "/api/me/api-key")).body.apiKey,
	"the form of /me": async () => {
		const visitor = await new Visitor(scene.context).signIn(scene.owner.key);
		const { text } = await visitor.send("/me/key", {
			apiKey: scene.owner.key,
		});
		return /ar_\w+/.exec(text)?.[0] ?? "";
	},
	"resort admin reset-key": async () => {
		const { apiKey } = await scene.context.byHost(`/agents/${scene.owner.id}/reset-key`);
		return apiKey;
	},
};

describe.each(Object.entries(replacements))("%s", (_, replace) => {
	test("ends all webhooks of the agent, and none of another agent", async () => {
		const other = await scene.context.guest({ name: "Other" });
		await scene.subscribe();
		await scene.subscribe({ types: ["postcard.received"] });
		const url = `${scene.receiver.url()}?other`;
		await scene.context.ask("POST", "/api/webhooks", {
			key: other.key,
			body: { url },
		});
		const key = await replace();
		expect(await states(key)).toEqual(["ended", "ended"]);
		expect(await states(other.key)).toEqual(["active"]);
		// The other webhook receives only public events, in order: when it has received the second postcard, the
		// first one would have been delivered too.
		const send = (recipientId: string | null) => scene.context.send(other, { message: "Hello", recipientId });
		await send(scene.owner.id);
		await send(null);
		await scene.receiver.has(1);
		await scene.hasOnly(1);
		expect(scene.receiver.types).toEqual(["postcard.sent"]);
	});

	test("refuses a webhook that was being created with the old key", async () => {
		await scene.subscribe();
		const { promise, resolve } = Promise.withResolvers<number>();
		scene.receiver.answer = () => promise;
		const creating = scene.ask("POST", "/api/webhooks", {
			url: scene.receiver.url(),
		});
		await until(() => scene.receiver.pings.length === 2);
		const key = await replace();
		resolve(204);
		expectFailure(await creating, 401);
		expect(await states(key)).toEqual(["ended"]);
	});

	test("refuses the result of a ping that was sent with the old key", async () => {
		const { id } = await scene.subscribe();
		const { promise, resolve } = Promise.withResolvers<number>();
		scene.receiver.answer = () => promise;
		const testing = scene.ask("POST", `/api/webhooks/${id}/test`);
		await until(() => scene.receiver.pings.length === 2);
		await replace();
		resolve(204);
		expectFailure(await testing, 401);
	});
});

test("a new key says how many webhooks have ended", async () => {
	await scene.subscribe();
	await scene.subscribe();
	const first = await scene.ask("POST", "/api/me/api-key");
	expect(first.body.hint).toBe("Your webhooks have ended (2). POST /api/webhooks creates new ones.");
	const key = first.body.apiKey;
	const second = await scene.context.ask("POST", "/api/me/api-key", { key });
	expect(second.body).not.toHaveProperty("hint");
	const reset = await scene.context.byHost(`/agents/${scene.owner.id}/reset-key`);
	expect(reset).toMatchObject({ webhooksEnded: 0 });
});

test("refuses a webhook that was being created by a session that has ended", async () => {
	await scene.subscribe();
	const session = await scene.context.login(scene.owner.key);
	const { promise, resolve } = Promise.withResolvers<number>();
	scene.receiver.answer = () => promise;
	const creating = scene.context.ask("POST", "/api/webhooks", {
		session,
		headers: { origin: "http://resort.test" },
		body: { url: scene.receiver.url() },
	});
	await until(() => scene.receiver.pings.length === 2);
	await scene.ask("DELETE", "/api/sessions");
	resolve(204);
	expectFailure(await creating, 401);
	// Ending sessions replaces no key, so the webhook that existed before stays.
	expect(await states(scene.owner.key)).toEqual(["active"]);
});

test("/me and resort admin agent list the webhooks", async () => {
	const { id } = await scene.subscribe();
	const url = scene.receiver.url();
	const visitor = await new Visitor(scene.context).signIn(scene.owner.key);
	const page = (await visitor.open()).text;
	expect(page).toContain("<h2>Webhooks</h2>");
	expect(page).toContain(url);
	const { body } = await scene.context.host("GET", `/agents/${scene.owner.id}`);
	expect(body.agent).toMatchObject({
		webhooks: [{ id, url, state: "active", lastDeliveryAt: null }],
	} as object);
});
