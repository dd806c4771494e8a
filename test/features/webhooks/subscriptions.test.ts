import { describe, expect, test } from "bun:test";
import { expectRefusal } from "../../support/answers.ts";
import { WebhookScene } from "./receiver.ts";

const scene = new WebhookScene();

const create = (body: object, key = scene.owner.key) =>
	scene.context.call("POST", "/api/webhooks", { key, body });

const list = async (key = scene.owner.key) =>
	(await scene.context.call("GET", "/api/webhooks", { key })).body.webhooks;

describe("POST /api/webhooks", () => {
	test("sends a ping, and returns the webhook and its secret", async () => {
		const other = await scene.context.register();
		const { status, body } = await create({
			url: scene.receiver.url(),
			types: ["agent.relaxing", "agent.available", "agent.relaxing"],
			agentIds: [other.id.toUpperCase()],
		});
		expect(status).toBe(201);
		const types = ["agent.relaxing", "agent.available"];
		expect(body.webhook).toMatchObject({ url: scene.receiver.url(), types, agentIds: [other.id] });
		expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
		expect(scene.receiver.pings.map(({ event }) => event as unknown)).toEqual([
			{
				type: "webhook.ping",
				id: null,
				at: "2026-03-10T12:00:00.000Z",
				agent: { id: scene.owner.id, name: "Juniper" },
			},
		]);
		scene.receiver.verify(body.secret);
		expect(await list()).toEqual([body.webhook]);
		expect(await scene.webhook(body.webhook.id.toUpperCase())).toEqual(body.webhook);
	});

	const url = "https://a.test";
	const ids = "agentIds must be a list of 1 to 1000 agent ids, or omitted for all";
	// test/features/webhooks/delivery-attempt.test.ts tests more URLs.
	test.each<[error: string, body: object]>([
		["url is required", {}],
		["url must be 1 to 2048 characters", { url: "" }],
		["url must be 1 to 2048 characters", { url: `${url}/${"a".repeat(2_048)}` }],
		["url must be an https:// URL", { url: "ftp://hooks.test" }],
		["url must have a public address", { url: "https://10.0.0.1/" }],
		["types must be a list of 1 to 9 types, or omitted for all", { url, types: [] }],
		["types items must be agent.relaxing or ", { url, types: ["agent.sleeps"] }],
		[ids, { url, agentIds: [] }],
		["agentIds items must be a UUID", { url, agentIds: ["x"] }],
		[ids, { url, agentIds: Array(1_001).fill(crypto.randomUUID()) }],
	])("returns 400 for an invalid body, with an error that begins with %j", async (error, body) => {
		const answer = await create(body);
		expect(answer.status).toBe(400);
		expect(answer.body.error).toStartWith(error);
		expect(answer.body.field).toBe(error.split(" ")[0] ?? "");
		expect(await list()).toEqual([]);
	});

	test.each([
		["has an https URL but does not speak TLS", "no response (", null],
		["responds to the ping with the status 302", "returned 302", 302],
		["responds to the ping with the status 410", "returned 410", 410],
	])("refuses a receiver that %s, and stores nothing", async (_, failure, status) => {
		await scene.subscribe();
		const headers = { location: scene.receiver.url() };
		scene.receiver.answer = () => new Response(null, { status: status ?? 500, headers });
		const url = scene.receiver.url();
		const { body } = await create({ url: status === null ? url.replace("http:", "https:") : url });
		expect(body.error).toStartWith(`The receiver did not accept the webhook.ping: ${failure}`);
		expect(body.field).toBe("url");
		expect(body.hint).toContain("200 to 299");
		expect(scene.receiver.pings).toHaveLength(status === null ? 1 : 2);
		expect(await list()).toHaveLength(1);
	});

	test("allows each agent at most five webhooks, even if six calls run concurrently", async () => {
		const answers = await Promise.all(
			Array.from({ length: 6 }, (_, at) => create({ url: scene.receiver.url(`host${at}.test`) })),
		);
		expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), 400]);
		expect(await list()).toHaveLength(5);
		const pings = scene.receiver.pings.length;
		const sixth = await create({ url: scene.receiver.url() });
		expect(sixth.status).toBe(400);
		expect(sixth.body.error).toBe("You already have 5 webhooks");
		expect(scene.receiver.pings).toHaveLength(pings);
		const other = await scene.context.register();
		expect((await create({ url: scene.receiver.url() }, other.key)).status).toBe(201);
		const [first] = await list();
		const path = `/api/webhooks/${first?.id}`;
		expect((await scene.call("DELETE", path)).text).toBe('{"ok":true}');
		expect((await create({ url: scene.receiver.url() })).status).toBe(201);
	});

	test("returns 503 if all agents together have 10,000 active webhooks", async () => {
		const { id } = await scene.context.register();
		await scene.context.rows(
			`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
				INSERT INTO webhooks (id, agent_id, url, secret, state, created_at, position)
				SELECT 'w' || i, '${id}', 'https://a.test/', 's', 'active', 1, 0 FROM n`,
		);
		const body = { url: scene.receiver.url() };
		expect((await create(body)).status).toBe(201);
		expect((await create(body)).status).toBe(503);
	});

	test("deletes all but five of the agent's ended webhooks", async () => {
		for (let at = 0; at < 12; at++) {
			await scene.subscribe();
			await scene.context.rows("UPDATE webhooks SET state = 'ended'");
		}
		expect(await list()).toHaveLength(6);
	});
});

test("operations on an unknown webhook or a webhook of another agent return 404", async () => {
	const { id } = await scene.subscribe();
	const other = await scene.context.register();
	const unknown = crypto.randomUUID();
	for (const [key, webhook] of [
		[other.key, id],
		[scene.owner.key, unknown],
		[scene.owner.key, "nonsense"],
	] as const) {
		for (const [method, path] of [
			["GET", ""],
			["DELETE", ""],
			["GET", "/deliveries"],
			["POST", "/deliveries/msg_1/redeliver"],
			["POST", "/test"],
		] as const) {
			const answered = await scene.context.call(method, `/api/webhooks/${webhook}${path}`, { key });
			expectRefusal(answered, 404, "Webhook not found");
		}
	}
	expect(await list(other.key)).toEqual([]);
	expect(await list()).toHaveLength(1);
	expect(scene.receiver.pings).toHaveLength(1);
});

test("POST /test/reset deletes all webhooks and deliveries", async () => {
	await scene.receive(204);
	await scene.context.send("POST", "/test/reset", { headers: { host: "localhost" } });
	await scene.context.guest();
	await scene.hasOnly(1);
	expect(await scene.context.rows("SELECT * FROM webhooks")).toEqual([]);
	expect(await scene.context.rows("SELECT * FROM webhook_deliveries")).toEqual([]);
});
