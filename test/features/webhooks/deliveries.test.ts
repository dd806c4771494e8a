import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { WebhookScene } from "../../support/receiver.ts";
import type { Registered } from "../../support/resort.ts";

const scene = new WebhookScene();

describe("a webhook", () => {
	test("receives what happens after its creation, in order, in the form of events", async () => {
		const { id, secret } = await scene.subscribe();
		for (let at = 0; at < 20; at++) await scene.happen();
		await scene.receiver.has(20);
		const { body } = await scene.context.ask("GET", "/api/events?since=1");
		const sent: unknown = scene.receiver.messages.map(({ event }) => event);
		expect(sent).toEqual((body as unknown as { events: unknown[] }).events);
		expect(new Set(scene.receiver.messages.map((one) => one.id)).size).toBe(20);
		expect(scene.receiver.messages[0]?.id).toBe(`msg_${id.replaceAll("-", "")}_2`);
		scene.receiver.verify(secret);
		await scene.written(20);
		const told = await scene.deliveries(id);
		expect(told.map(({ eventId }) => eventId)).toEqual(scene.receiver.eventIds.toReversed());
		expect(told[0]).toEqual({
			id: scene.receiver.messages[19]?.id as string,
			eventId: "21",
			at: "2026-03-10T12:00:00.000Z",
			attempt: 1,
			status: 204,
			next: null,
		});
		expect(await scene.webhook(id)).toMatchObject({
			lastDeliveryAt: "2026-03-10T12:00:00.000Z",
			failure: null,
		});
	});

	test.each([
		["hears public events and those of its owner", false],
		["with agents hears their public events alone", true],
	])("%s", async (_, isOfAgents) => {
		const other = await scene.context.guest();
		const third = await scene.context.guest();
		await scene.subscribe(isOfAgents ? { agentIds: [other.id] } : {});
		const send = (from: Registered, message: string, recipientId?: string) =>
			scene.context.send(from, { message, recipientId });
		await send(other, "for all");
		await send(other, "for Juniper", scene.owner.id);
		await send(other, "for third", third.id);
		await send(scene.owner, "from Juniper", third.id);
		await scene.context.create(third);
		await send(other, "for all again");
		const expected = isOfAgents
			? ["for all", "for all again"]
			: ["for all", "for Juniper", "experience.created", "for all again"];
		await scene.receiver.has(expected.length);
		await scene.hasOnly(expected.length);
		const told = scene.receiver.messages.map(({ event }) => event.postcard?.message ?? event.type);
		expect(told).toEqual(expected);
	});

	test("does not receive private postcards of an agent that its owner has blocked, not even earlier ones", async () => {
		const other = await scene.context.guest();
		await scene.subscribe();
		const { context } = scene;
		const postcard = { message: "Hello", recipientId: scene.owner.id };
		scene.receiver.answer = () => 500;
		await context.send(other, postcard);
		await scene.receiver.has(1);
		await context.post(scene.owner, "/api/me/blocked", { agentId: other.id });
		scene.receiver.answer = () => 204;
		context.advance(DAY_MS);
		await context.send(other, { message: "For all" });
		await scene.receiver.has(2);
		await scene.hasOnly(2);
		expect(scene.receiver.types).toEqual(["postcard.received", "postcard.sent"]);
	});

	test("ends with its owner", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => 500;
		await scene.happen();
		await scene.written(1);
		const other = await scene.context.guest();
		await scene.written(2);
		await scene.ask("DELETE", "/api/me");
		await scene.pass(DAY_MS);
		await scene.happen(other);
		await scene.hasOnly(2);
		const { context } = scene;
		const state = `SELECT state FROM webhooks WHERE id = '${id}'`;
		expect(await context.rows(state)).toEqual([{ state: "ended" }]);
		const waiting = "SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL";
		expect(await context.rows(waiting)).toEqual([]);
	});

	test("that is deleted is sent nothing more, also of what waits", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => 500;
		await scene.happen();
		await scene.written(1);
		await scene.ask("DELETE", `/api/webhooks/${id}`);
		await scene.pass(DAY_MS);
		await scene.happen();
		await scene.hasOnly(1);
	});
});

test("only the newest 100 are kept, and those that wait", async () => {
	const { id } = await scene.subscribe();
	scene.receiver.answer = ({ event }) => (event.id === "2" ? 500 : 204);
	for (let at = 0; at < 109; at++) await scene.happen();
	await scene.tried();
	const told = await scene.deliveries(id);
	expect(told).toHaveLength(100);
	expect(told[0]?.eventId).toBe("111");
	const rows = await scene.context.rows("SELECT event_id FROM webhook_deliveries ORDER BY seq");
	expect(rows.map((row) => Number(row.event_id))).toEqual([
		2,
		...Array.from({ length: 100 }, (_, at) => at + 12),
	]);
});

test("of more than 10,000 that wait the oldest are given up", async () => {
	const { id } = await scene.subscribe();
	scene.receiver.answer = () => 500;
	const many = 10_005;
	await scene.context.rows(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
			INSERT INTO webhook_deliveries (id, webhook_id, event_id, created_at, at, attempt, next_at)
			SELECT 'd' || i, '${id}', 1, 1, 1, 0, 9000000000000 FROM n`,
	);
	await scene.happen();
	await scene.written(1);
	const waiting = await scene.context.rows(
		"SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL ORDER BY seq",
	);
	expect(waiting).toHaveLength(10_000);
	expect(waiting[0]?.id).toBe("d7");
});
