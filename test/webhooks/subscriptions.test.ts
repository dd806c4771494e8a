import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HOUR_MS } from "../../src/lib/clock.ts";
import {
	Receiver,
	subscribe,
	toLoopback,
	written,
} from "../support/receiver.ts";
import { type Registered, TestResort } from "../support/resort.ts";

let context: TestResort;
let agent: Registered;
let receiver: Receiver;

beforeEach(async () => {
	context = new TestResort({ webhooks: toLoopback });
	context.sender?.start();
	agent = await context.register({ name: "Juniper" });
	receiver = new Receiver();
});
afterEach(async () => {
	await context.close();
	await receiver[Symbol.asyncDispose]();
});

const create = (body: object, key = agent.key) =>
	context.ask("POST", "/api/webhooks", { key, body });

const list = async (key = agent.key) =>
	(await context.ask("GET", "/api/webhooks", { key })).body.webhooks;

describe("POST /api/webhooks", () => {
	test("sends a ping, and tells the webhook and its secret", async () => {
		const other = await context.register();
		const { status, body } = await create({
			url: receiver.url(),
			types: ["agent.relaxing", "agent.available", "agent.relaxing"],
			agentIds: [other.id.toUpperCase()],
		});
		expect(status).toBe(201);
		expect(body.webhook).toEqual({
			id: expect.stringMatching(/^[0-9a-f-]{36}$/),
			url: receiver.url(),
			types: ["agent.relaxing", "agent.available"],
			agentIds: [other.id],
			state: "active",
			createdAt: "2026-03-10T12:00:00.000Z",
			lastDeliveryAt: null,
			failure: null,
		});
		expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
		expect(receiver.pings.map(({ event }) => event as unknown)).toEqual([
			{
				type: "webhook.ping",
				id: null,
				at: "2026-03-10T12:00:00.000Z",
				agent: { id: agent.id, name: "Juniper" },
			},
		]);
		receiver.verify(body.secret);
		expect(await list()).toEqual([body.webhook]);
		const path = `/api/webhooks/${body.webhook.id.toUpperCase()}`;
		const one = await context.ask("GET", path, { key: agent.key });
		expect(one.body.webhook).toEqual(body.webhook);
	});

	test.each<[body: object, error: string]>([
		[{}, "url is required"],
		[{ url: "" }, "url must be 1 to 2048 characters"],
		[
			{ url: `https://a.test/${"a".repeat(2_048)}` },
			"url must be 1 to 2048 characters",
		],
		...[
			...["hooks.test", "ftp://hooks.test", "https://a:b@hooks.test"],
			...[
				"https://hooks.test/#a",
				"https://hooks.test:0/",
				"https://a b.test/",
			],
		].map((url): [object, string] => [{ url }, "url must be an https:// URL"]),
		...["https://10.0.0.1/", "https://[::1]/"].map((url): [object, string] => [
			{ url },
			"url must not have an address that is not public",
		]),
		[
			{ url: "https://a.test", types: [] },
			"types must be a list of 1 to 9 types, or left out for all",
		],
		[
			{ url: "https://a.test", agentIds: [] },
			"agentIds must be a list of 1 to 1000 agents' ids, or left out for all",
		],
		[
			{ url: "https://a.test", agentIds: ["x"] },
			"agentIds items must be a UUID",
		],
		[
			{
				url: "https://a.test",
				agentIds: Array(1_001).fill(crypto.randomUUID()),
			},
			"agentIds must be a list of 1 to 1000 agents' ids, or left out for all",
		],
	])("refuses %j", async (body, error) => {
		const answer = await create(body);
		expect(answer.status).toBe(400);
		expect(answer.body).toMatchObject({ error, field: error.split(" ")[0] });
		expect(await list()).toEqual([]);
	});

	test("refuses a type that there is not, and says which there are", async () => {
		const { status, body } = await create({
			url: receiver.url(),
			types: ["agent.sleeps"],
		});
		expect(status).toBe(400);
		expect(body.error).toStartWith("types items must be agent.relaxing or ");
	});

	test("stores nothing when nobody takes the ping", async () => {
		const { status, body } = await create({
			url: receiver.url().replace("http:", "https:"),
		});
		expect(status).toBe(400);
		expect(body.error).toMatch(
			/^The receiver did not accept the webhook\.ping: no answer \(\w+\)$/,
		);
		expect(body.field).toBe("url");
		expect(body.hint).toContain("200 to 299");
		expect(await context.rows("SELECT id FROM webhooks")).toEqual([]);
	});

	test.each([300, 302, 400, 410, 500])(
		"refuses a receiver that answers %i",
		async (status) => {
			const server = Bun.serve({
				port: 0,
				hostname: "127.0.0.1",
				fetch: () =>
					new Response(null, { status, headers: { location: receiver.url() } }),
			});
			const { body } = await create({
				url: `http://hooks.test:${server.port}/`,
			});
			await server.stop(true);
			expect(body.error).toEndWith(`: answered ${status}`);
			expect(receiver.pings).toEqual([]);
			expect(await list()).toEqual([]);
		},
	);

	test("gives an agent five, also when it asks for six at once", async () => {
		const answers = await Promise.all(
			Array.from({ length: 6 }, (_, at) =>
				create({ url: receiver.url(`host${at}.test`) }),
			),
		);
		expect(answers.map(({ status }) => status).toSorted()).toEqual([
			...Array(5).fill(201),
			400,
		]);
		expect(await list()).toHaveLength(5);
		const pings = receiver.pings.length;
		const sixth = await create({ url: receiver.url() });
		expect(sixth.status).toBe(400);
		expect(sixth.body.error).toBe("You have 5 webhooks already");
		expect(receiver.pings).toHaveLength(pings);
		const other = await context.register();
		expect((await create({ url: receiver.url() }, other.key)).status).toBe(201);
		const [first] = await list();
		const path = `/api/webhooks/${first?.id}`;
		expect((await context.ask("DELETE", path, { key: agent.key })).text).toBe(
			'{"ok":true}',
		);
		expect((await create({ url: receiver.url() })).status).toBe(201);
	});

	test("keeps five that have ended beside them", async () => {
		for (let at = 0; at < 12; at++) {
			await subscribe(context, agent, { url: receiver.url() });
			await context.rows("UPDATE webhooks SET state = 'ended'");
		}
		expect(await list()).toHaveLength(6);
	});

	test("takes a session, and nobody without a credential", async () => {
		const session = await context.login(agent.key);
		const body = { url: receiver.url() };
		const asked = await context.ask("POST", "/api/webhooks", { session, body });
		expect(asked.status).toBe(201);
		expect((await context.ask("POST", "/api/webhooks", { body })).status).toBe(
			401,
		);
		expect((await context.ask("GET", "/api/webhooks")).status).toBe(401);
	});
});

test("creation has a limit of 10 an hour", async () => {
	await using limited = new TestResort({
		webhooks: toLoopback,
		rateLimits: true,
	});
	const { key } = await limited.register();
	const body = { url: "https://10.0.0.1/" };
	for (let call = 0; call < 10; call++) {
		expect(
			(await limited.ask("POST", "/api/webhooks", { key, body })).status,
		).toBe(400);
	}
	expect(
		(await limited.ask("POST", "/api/webhooks", { key, body })).status,
	).toBe(429);
	limited.advance(HOUR_MS);
	expect(
		(await limited.ask("POST", "/api/webhooks", { key, body })).status,
	).toBe(400);
});

test("a webhook is its owner's alone", async () => {
	const { id } = await subscribe(context, agent, { url: receiver.url() });
	const other = await context.register();
	const unknown = crypto.randomUUID();
	for (const [key, webhook] of [
		[other.key, id],
		[agent.key, unknown],
		[agent.key, "nonsense"],
	] as const) {
		for (const [method, path] of [
			["GET", ""],
			["DELETE", ""],
			["GET", "/deliveries"],
			["POST", "/deliveries/msg_1/redeliver"],
			["POST", "/test"],
		] as const) {
			const { status, body } = await context.ask(
				method,
				`/api/webhooks/${webhook}${path}`,
				{ key },
			);
			expect({ status, error: body.error }).toEqual({
				status: 404,
				error: "Webhook not found",
			});
		}
	}
	expect(await list(other.key)).toEqual([]);
	expect(await list()).toHaveLength(1);
	expect(receiver.pings).toHaveLength(1);
});

test("without --webhooks there are no such operations", async () => {
	await using plain = new TestResort();
	const { key } = await plain.register();
	for (const [method, path] of [
		["GET", "/api/webhooks"],
		["POST", "/api/webhooks"],
		["DELETE", "/api/webhooks/x"],
	] as const) {
		expect((await plain.ask(method, path, { key })).status).toBe(404);
	}
	expect((await plain.ask("GET", "/openapi.json")).text).not.toContain(
		"webhook",
	);
	expect((await context.ask("GET", "/openapi.json")).text).toContain(
		"/api/webhooks/{id}/test",
	);
	expect((await context.ask("GET", "/api/skill")).text).toContain(
		"| POST /api/webhooks | any |",
	);
});

test("the secret is told once, and is in no log", async () => {
	const { id, secret } = await subscribe(context, agent, {
		url: receiver.url(),
	});
	const told = await Promise.all(
		["", `/${id}`, `/${id}/deliveries`].map(
			async (path) =>
				(await context.ask("GET", `/api/webhooks${path}`, { key: agent.key }))
					.text,
		),
	);
	expect(told.join()).not.toContain(secret.slice("whsec_".length));
	expect(JSON.stringify(context.log)).not.toContain(
		secret.slice("whsec_".length),
	);
});

test("a reset forgets them", async () => {
	await using own = new TestResort({
		webhooks: toLoopback,
		testControls: true,
	});
	own.sender?.start();
	const guest = await own.guest();
	await subscribe(own, guest, { url: receiver.url() });
	await own.ask("POST", "/api/checkout", { key: guest.key });
	await written(own, 1);
	const headers = { host: "127.0.0.1" };
	expect((await own.ask("POST", "/test/reset", { headers })).status).toBe(200);
	await own.guest();
	await Bun.sleep(50);
	expect(receiver.messages).toHaveLength(1);
	expect(await own.rows("SELECT * FROM webhooks")).toEqual([]);
	expect(await own.rows("SELECT * FROM webhook_deliveries")).toEqual([]);
});
