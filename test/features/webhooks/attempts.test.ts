import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import { WebhookScene } from "../../support/receiver.ts";
import { until } from "../../support/until.ts";

/** The chance that decides the jitter. */
let chance: number;
beforeEach(() => {
	chance = 0;
});
const scene = new WebhookScene(() => ({ chance: () => chance }));

describe("a message that is not taken", () => {
	test("is sent again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then no more", async () => {
		const { id, secret } = await scene.subscribe({
			types: ["agent.available"],
		});
		scene.receiver.answer = () => 500;
		await scene.happen();
		await scene.written(1);
		const delays = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS].concat(
			[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
		);
		const startMs = scene.context.nowMs;
		for (const [at, delayMs] of delays.entries()) {
			const [told] = await scene.deliveries(id);
			expect(told).toMatchObject({
				attempt: at + 1,
				status: 500,
				next: new Date(scene.context.nowMs + delayMs).toISOString(),
			});
			await scene.pass(delayMs - 1);
			expect(scene.receiver.messages).toHaveLength(at + 1);
			await scene.pass(1);
			await scene.written(at + 2);
		}
		expect(scene.context.nowMs - startMs).toBe(75 * HOUR_MS + 35 * MINUTE_MS + 5 * SECOND_MS);
		const [told] = await scene.deliveries(id);
		expect(told).toMatchObject({ attempt: 10, next: null });
		await scene.pass(10 * DAY_MS);
		expect(scene.receiver.messages).toHaveLength(10);
		const [{ id: messageId, text } = { id: "", text: "" }] = scene.receiver.messages;
		for (const message of scene.receiver.messages) {
			expect(message).toMatchObject({ id: messageId, text });
		}
		scene.receiver.verify(secret);
		expect(await scene.webhook(id)).toMatchObject({
			state: "active",
			failure: "returned 500",
		});
	});

	test("is sent again once, when that is taken", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => (scene.receiver.messages.length === 1 ? 500 : 200);
		await scene.happen();
		await scene.written(1);
		expect(await scene.webhook(id)).toMatchObject({
			failure: "returned 500",
			lastDeliveryAt: null,
		});
		await scene.pass(5 * SECOND_MS);
		await scene.written(2);
		expect((await scene.deliveries(id))[0]).toMatchObject({
			attempt: 2,
			status: 200,
			next: null,
		});
		expect(await scene.webhook(id)).toMatchObject({
			failure: null,
			lastDeliveryAt: new Date(scene.context.nowMs).toISOString(),
		});
		expect(scene.context.sender?.tally).toEqual({ delivered: 1, failed: 1 });
		await scene.pass(30 * DAY_MS);
		expect(scene.receiver.messages).toHaveLength(2);
	});

	test("does not hold up those behind it", async () => {
		await scene.subscribe();
		scene.receiver.answer = ({ event }) =>
			event.id === "2" && scene.receiver.messages.length < 5 ? 503 : 204;
		await scene.happen();
		await scene.happen();
		await scene.happen();
		await scene.receiver.has(3);
		await scene.written(3);
		await scene.pass(5 * SECOND_MS);
		await scene.happen();
		await scene.receiver.has(5);
		expect(scene.receiver.eventIds.slice(0, 3)).toEqual(["2", "3", "4"]);
		expect(scene.receiver.eventIds.slice(3).toSorted()).toEqual(["2", "5"]);
	});

	test("takes turns with those that follow it, once it is due", async () => {
		const { id } = await scene.subscribe();
		const answer = Promise.withResolvers<number>();
		scene.receiver.answer = () => (scene.receiver.messages.length <= 2 ? 500 : answer.promise);
		for (let at = 0; at < 3; at++) await scene.happen();
		await scene.receiver.has(3);
		await scene.written(2);
		scene.context.advance(5 * SECOND_MS);
		// A change to the webhook while a message is being sent does not restart the delivery.
		const path = `/api/webhooks/${id}/deliveries/${scene.receiver.messages[0]?.id}`;
		await scene.ask("POST", `${path}/redeliver`);
		await scene.happen();
		await scene.happen();
		answer.resolve(204);
		await scene.receiver.has(7);
		const ids = ["2", "3", "4", "2", "5", "3", "6"];
		expect(scene.receiver.eventIds).toEqual(ids);
	});

	test.each([
		["7200", 0, 2 * HOUR_MS],
		["1", 0.5, 5.25 * SECOND_MS],
	])("waits for as long as Retry-After says: %s, chance %d", async (field, drawn, delayMs) => {
		chance = drawn;
		const { id } = await scene.subscribe();
		const headers = { "retry-after": field };
		scene.receiver.answer = () => new Response("", { status: 429, headers });
		await scene.happen();
		await scene.written(1);
		const [told] = await scene.deliveries(id);
		expect(told?.next).toBe(new Date(scene.context.nowMs + delayMs).toISOString());
		scene.context.advance(SECOND_MS);
		expect(await scene.context.sender?.oldestSeconds()).toBe(1);
	});

	test("contains no name of an agent that has been deactivated since", async () => {
		const other = await scene.context.guest({ name: "Orla" });
		await scene.subscribe({ agentIds: [other.id] });
		scene.receiver.answer = () => 500;
		await scene.happen(other);
		await scene.written(1);
		await scene.context.ask("DELETE", "/api/me", { key: other.key });
		await scene.written(2);
		await scene.pass(5 * SECOND_MS);
		await scene.written(4);
		const names = scene.receiver.messages.map(({ event }) => `${event.id} ${event.agent.name}`);
		expect(names).toEqual(["3 Orla", "4 null", "3 null", "4 null"]);
	});

	test("is given up when its event has been forgotten", async () => {
		await scene.subscribe();
		scene.receiver.answer = () => 500;
		await scene.happen();
		await scene.written(1);
		await scene.context.rows("DELETE FROM events");
		await scene.pass(5 * SECOND_MS);
		await scene.happen();
		await scene.written(2);
		expect(scene.receiver.eventIds).toEqual(["2", "3"]);
		const waiting = await scene.context.rows(
			"SELECT event_id FROM webhook_deliveries WHERE next_at IS NOT NULL",
		);
		expect(waiting.map((row) => Number(row.event_id))).toEqual([3]);
	});

	test("ends the subscription with 410", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => (scene.receiver.messages.length === 1 ? 500 : 410);
		await scene.happen();
		await scene.happen();
		await scene.written(2);
		expect(await scene.webhook(id)).toMatchObject({
			state: "ended",
			failure: "returned 410",
		});
		await scene.pass(DAY_MS);
		await scene.happen();
		await scene.hasOnly(2);
		const next = (await scene.deliveries(id)).map((delivery) => delivery.next);
		expect(next).toEqual([null, null]);
		expect(await scene.ask("POST", `/api/webhooks/${id}/test`)).toMatchObject({
			status: 400,
			body: { error: "The webhook is ended" },
		});
	});

	test("is given up when a ping has ended the subscription meanwhile", async () => {
		const { id } = await scene.subscribe();
		const answer = Promise.withResolvers<number>();
		scene.receiver.answer = ({ event }) => (event.type === "webhook.ping" ? 410 : answer.promise);
		await scene.happen();
		await scene.receiver.has(1);
		await scene.ask("POST", `/api/webhooks/${id}/test`);
		answer.resolve(500);
		await scene.written(2);
		expect(await scene.deliveries(id)).toMatchObject([
			{ status: 500, next: null },
			{ status: 410, next: null },
		]);
		expect(await scene.webhook(id)).toMatchObject({ state: "ended" });
	});

	test("disables the webhook after five days of failures only", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => 500;
		const first = scene.context.nowMs;
		let attempts = 0;
		for (let day = 0; day < 5; day++) {
			await scene.tried();
			expect(await scene.webhook(id)).toMatchObject({ state: "active" });
			await scene.pass(DAY_MS - (day === 4 ? 1 : 0));
		}
		expect(scene.context.nowMs - first).toBe(5 * DAY_MS - 1);
		await scene.tried();
		expect(await scene.webhook(id)).toMatchObject({ state: "active" });
		await scene.pass(1);
		// The next failure disables it: that of this event, or of a repeated delivery.
		await scene.happen();
		await until(async () => (await scene.webhook(id)).state === "disabled");
		expect((await scene.webhook(id)).failure).toBe("returned 500");
		attempts = scene.receiver.messages.length;
		await scene.pass(DAY_MS);
		await scene.happen();
		await scene.hasOnly(attempts);
		const next = (await scene.deliveries(id)).map((delivery) => delivery.next);
		expect(new Set(next)).toEqual(new Set([null]));
	});

	test("counts from the last success on", async () => {
		const { id } = await scene.subscribe();
		for (let day = 0; day < 8; day++) {
			scene.receiver.answer = () => (day === 4 ? 204 : 500);
			await scene.tried();
			await scene.pass(DAY_MS);
		}
		expect(await scene.webhook(id)).toMatchObject({ state: "active" });
	});
});
