import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/lib/clock.ts";
import { Doing } from "../support/doing.ts";
import {
	checkInOrOut,
	deliveriesOf,
	letPass,
	Receiver,
	subscribe,
	toLoopback,
	triedFor,
	webhookOf,
	written,
} from "../support/receiver.ts";
import { type Registered, TestResort } from "../support/resort.ts";

let context: TestResort;
let owner: Registered;
let receiver: Receiver;

beforeEach(async () => {
	context = new TestResort({ webhooks: toLoopback, keepEventsMs: 30 * DAY_MS });
	context.sender?.start();
	owner = await context.guest({ name: "Juniper" });
	receiver = new Receiver();
});
afterEach(async () => {
	await context.close();
	await receiver[Symbol.asyncDispose]();
});

const happen = (agent = owner) => checkInOrOut(context, agent);
const tried = () => triedFor(context, owner);
const deliveries = (id: string) => deliveriesOf(context, owner, id);
const webhook = (id: string) => webhookOf(context, owner, id);
const pass = (durationMs: number) => letPass(context, durationMs);

describe("a webhook", () => {
	test("is sent what happens after it was made, in order, as events tell it", async () => {
		const { id, secret } = await subscribe(context, owner, {
			url: receiver.url(),
		});
		for (let at = 0; at < 20; at++) await happen();
		await receiver.has(20);
		const { body } = await context.ask("GET", "/api/events?since=1");
		expect(receiver.messages.map(({ event }) => event as unknown)).toEqual([
			...(body as unknown as { events: unknown[] }).events,
		]);
		expect(new Set(receiver.messages.map((one) => one.id)).size).toBe(20);
		expect(receiver.messages[0]?.id).toBe(`msg_${id.replaceAll("-", "")}_2`);
		receiver.verify(secret);
		await written(context, 20);
		const told = await deliveries(id);
		expect(told.map(({ eventId }) => eventId)).toEqual(
			receiver.eventIds.toReversed(),
		);
		expect(told[0]).toEqual({
			id: receiver.messages[19]?.id as string,
			eventId: "21",
			at: "2026-03-10T12:00:00.000Z",
			attempt: 1,
			status: 204,
			next: null,
		});
		expect(await webhook(id)).toMatchObject({
			lastDeliveryAt: "2026-03-10T12:00:00.000Z",
			failure: null,
		});
	});

	test("hears public events and its owner's private ones", async () => {
		const other = await context.guest();
		const third = await context.guest();
		await subscribe(context, owner, { url: receiver.url() });
		const doing = new Doing(context);
		await doing.post(other, "/api/postcards", { message: "for all" });
		await doing.post(other, "/api/postcards", {
			message: "for Juniper",
			recipientId: owner.id,
		});
		await doing.post(other, "/api/postcards", {
			message: "for third",
			recipientId: third.id,
		});
		await doing.post(owner, "/api/postcards", {
			message: "from Juniper",
			recipientId: third.id,
		});
		await doing.create(third);
		await receiver.has(3);
		await Bun.sleep(30);
		const told = receiver.messages.map(
			({ event }) => event.postcard?.message ?? event.type,
		);
		expect(told).toEqual(["for all", "for Juniper", "experience.created"]);
	});

	test("with agents hears their public events alone", async () => {
		const [other, third] = [await context.guest(), await context.guest()];
		await subscribe(context, owner, {
			url: receiver.url(),
			agentIds: [other.id],
		});
		const doing = new Doing(context);
		await doing.post(other, "/api/postcards", {
			message: "for Juniper",
			recipientId: owner.id,
		});
		await doing.post(third, "/api/postcards", { message: "not heard" });
		await doing.post(owner, "/api/postcards", { message: "not heard" });
		await doing.post(other, "/api/postcards", { message: "heard" });
		await receiver.has(1);
		await Bun.sleep(30);
		expect(
			receiver.messages.map(({ event }) => event.postcard?.message),
		).toEqual(["heard"]);
	});

	test("with types hears these alone", async () => {
		await subscribe(context, owner, {
			url: receiver.url(),
			types: ["agent.available", "agent.gone"],
		});
		const other = await context.guest();
		await happen(other);
		await happen();
		await happen();
		await context.ask("DELETE", "/api/me", { key: other.key });
		await receiver.has(3);
		await Bun.sleep(30);
		expect(receiver.types).toEqual([
			"agent.available",
			"agent.available",
			"agent.gone",
		]);
	});

	test("ends with its owner", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(context, 1);
		const other = await context.guest();
		await written(context, 2);
		await context.ask("DELETE", "/api/me", { key: owner.key });
		await pass(DAY_MS);
		await happen(other);
		await Bun.sleep(30);
		expect(receiver.messages).toHaveLength(2);
		const rows = await context.rows(
			`SELECT state FROM webhooks WHERE id = '${id}'`,
		);
		expect(rows).toEqual([{ state: "ended" }]);
		expect(
			await context.rows(
				"SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL",
			),
		).toEqual([]);
	});

	test("that is deleted is sent nothing more, also of what waits", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(context, 1);
		await context.ask("DELETE", `/api/webhooks/${id}`, { key: owner.key });
		await pass(DAY_MS);
		await happen();
		await Bun.sleep(30);
		expect(receiver.messages).toHaveLength(1);
	});
});

test("only the newest 100 are kept, and those that wait", async () => {
	const { id } = await subscribe(context, owner, { url: receiver.url() });
	receiver.answer = ({ event }) => (event.id === "2" ? 500 : 204);
	for (let at = 0; at < 109; at++) await happen();
	await tried();
	const told = await deliveries(id);
	expect(told).toHaveLength(100);
	expect(told[0]?.eventId).toBe("111");
	const rows = await context.rows(
		"SELECT event_id FROM webhook_deliveries ORDER BY seq",
	);
	expect(rows.map((row) => Number(row.event_id))).toEqual([
		2,
		...Array.from({ length: 100 }, (_, at) => at + 12),
	]);
});

test("of more than 10,000 that wait the oldest are given up", async () => {
	const { id } = await subscribe(context, owner, { url: receiver.url() });
	receiver.answer = () => 500;
	const many = 10_005;
	await context.rows(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
			INSERT INTO webhook_deliveries (id, webhook_id, event_id, created_at, at, attempt, next_at)
			SELECT 'd' || i, '${id}', 1, 1, 1, 0, 9000000000000 FROM n`,
	);
	await happen();
	await written(context, 1);
	const waiting = await context.rows(
		"SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL ORDER BY seq",
	);
	expect(waiting).toHaveLength(10_000);
	expect(waiting[0]?.id).toBe("d7");
});
