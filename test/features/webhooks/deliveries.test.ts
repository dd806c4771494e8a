import { describe, expect, test } from "bun:test";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import type { Registered } from "../../support/calls.ts";
import { WebhookScene } from "./receiver.ts";

const scene = new WebhookScene();

describe("a webhook", () => {
	test("receives all events after its creation, in order, as GET /api/events returns them", async () => {
		const { id, secret } = await scene.subscribe();
		for (let at = 0; at < 20; at++) await scene.happen();
		await scene.receiver.has(20);
		const { body } = await scene.context.call("GET", "/api/events?since=1");
		expect(scene.receiver.messages.map(({ event }) => event as unknown)).toEqual(body.events);
		expect(new Set(scene.receiver.messages.map((one) => one.id)).size).toBe(20);
		expect(scene.receiver.messages[0]?.id).toBe(`msg_${id.replaceAll("-", "")}_2`);
		scene.receiver.verify(secret);
		await scene.written(20);
		const deliveries = await scene.deliveries(id);
		expect(deliveries.map(({ eventId }) => eventId)).toEqual(scene.receiver.eventIds.toReversed());
		const at = "2026-03-10T12:00:00.000Z";
		const last = { id: scene.receiver.messages[19]?.id as string, eventId: "21" };
		expect(deliveries[0]).toEqual({ ...last, at, attempt: 1, status: 204, next: null });
		expect(await scene.webhook(id)).toMatchObject({ lastDeliveryAt: at, failure: null });
	});

	test.each([
		["receives public events and the private events of its owner if `agentIds` is omitted", false],
		["receives only the public events of the agents in `agentIds` if this list is given", true],
	])("%s", async (_, isOfAgents) => {
		const other = await scene.context.guest();
		const third = await scene.context.guest();
		await scene.subscribe(isOfAgents ? { agentIds: [other.id] } : {});
		const send = (from: Registered, message: string, recipientId?: string) =>
			scene.context.sendPostcard(from, { message, recipientId });
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
		const received = scene.receiver.messages.map(({ event }) => event.postcard?.message ?? event.type);
		expect(received).toEqual(expected);
	});

	test("receives no private postcards from an agent that its owner has blocked, not even as a retry", async () => {
		const { context, receiver, owner } = scene;
		const other = await context.guest();
		await scene.subscribe();
		receiver.answer = () => 500;
		await context.sendPostcard(other, { message: "Hello", recipientId: owner.id });
		await receiver.has(1);
		await context.send("POST", "/api/me/blocked", { key: owner.key, body: { agentId: other.id } });
		receiver.answer = () => 204;
		context.advance(DAY_MS);
		await context.sendPostcard(other, { message: "For all" });
		await receiver.has(2);
		await scene.hasOnly(2);
		expect(receiver.types).toEqual(["postcard.received", "postcard.sent"]);
	});

	test.each([
		["its owner is deactivated", (_: string) => "/api/me", "ended"],
		["it is deleted", (id: string) => `/api/webhooks/${id}`, undefined],
	])("receives nothing more, not even retries, after %s", async (_, path, state) => {
		const { context } = scene;
		const other = await context.guest();
		const { id } = await scene.receive(500);
		await scene.call("DELETE", path(id));
		await scene.pass(DAY_MS);
		await scene.happen(other);
		await scene.hasOnly(1);
		const [row] = await context.rows(`SELECT state FROM webhooks WHERE id = '${id}'`);
		expect(row?.state).toBe(state);
		const waiting = "SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL";
		expect(await context.rows(waiting)).toEqual([]);
	});
});

describe("the deliveries of a webhook", () => {
	/**
	 * Inserts deliveries that are finished (with the ids `finished1`, `finished2` and so on), or that wait
	 * for a retry (with the ids `waiting1`, `waiting2` and so on).
	 */
	const insert = (kind: "finished" | "waiting", webhookId: string, count: number) =>
		scene.context.rows(
			`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
				INSERT INTO webhook_deliveries (id, webhook_id, event_id, created_at, at, attempt, next_at)
				SELECT '${kind}' || i, '${webhookId}', 1, 1, 1, 0, ${kind === "waiting" ? 9e12 : "NULL"} FROM n`,
		);

	test("are kept if they are among the newest 100 or wait for a retry", async () => {
		const { id } = await scene.subscribe();
		await insert("waiting", id, 1);
		await insert("finished", id, 105);
		await scene.happen();
		await scene.written(1);
		const newest = Array.from({ length: 99 }, (_, at) => `finished${at + 7}`);
		const sent = scene.receiver.messages[0]?.id ?? "";
		const rows = await scene.context.rows("SELECT id FROM webhook_deliveries ORDER BY seq");
		expect(rows.map((row) => row.id)).toEqual(["waiting1", ...newest, sent]);
		const shown = (await scene.deliveries(id)).map((delivery) => delivery.id);
		expect(shown).toEqual([sent, ...newest.toReversed()]);
	});

	test("are abandoned, oldest first, if more than 10,000 of them wait for a retry", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => 500;
		await insert("waiting", id, 10_005);
		await scene.happen();
		await scene.written(1);
		const waiting = await scene.context.rows(
			"SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL ORDER BY seq",
		);
		expect(waiting).toHaveLength(10_000);
		expect(waiting[0]?.id).toBe("waiting7");
	});
});
