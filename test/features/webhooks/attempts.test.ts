/** Tests of the attempts to deliver a message that its receiver does not accept. */
import { beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import { until } from "../../support/until.ts";
import { WebhookScene } from "./receiver.ts";

let chance: number;
beforeEach(() => {
	chance = 0;
});
const scene = new WebhookScene(() => ({ chance: () => chance }));

const delays = [
	5 * SECOND_MS,
	5 * MINUTE_MS,
	30 * MINUTE_MS,
	...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

async function nextTimes(id: string) {
	return (await scene.deliveries(id)).map(({ next }) => next);
}

describe("a refused message", () => {
	test("is sent again nine times, after delays of 5 s to 24 h, and then no more", async () => {
		const { id, secret } = await scene.receive(500, { types: ["agent.available"] });
		for (const [at, delayMs] of delays.entries()) {
			expect((await scene.deliveries(id))[0]).toMatchObject({
				attempt: at + 1,
				status: 500,
				next: new Date(scene.context.nowMs + delayMs).toISOString(),
			});
			await scene.pass(delayMs - 1);
			expect(scene.receiver.messages).toHaveLength(at + 1);
			await scene.pass(1);
			await scene.written(at + 2);
		}
		expect((await scene.deliveries(id))[0]).toMatchObject({ attempt: 10, next: null });
		await scene.pass(10 * DAY_MS);
		expect(scene.receiver.messages).toHaveLength(10);
		expect(new Set(scene.receiver.messages.map((message) => `${message.id} ${message.text}`)).size).toBe(1);
		scene.receiver.verify(secret);
		expect(await scene.webhook(id)).toMatchObject({ state: "active", failure: "returned 500" });
	});

	test("is not sent again once the receiver has accepted a retry", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => (scene.receiver.messages.length === 1 ? 500 : 200);
		await scene.happen();
		await scene.written(1);
		expect(await scene.webhook(id)).toMatchObject({ failure: "returned 500", lastDeliveryAt: null });
		await scene.pass(5 * SECOND_MS);
		await scene.written(2);
		expect(await scene.deliveries(id)).toMatchObject([{ attempt: 2, status: 200, next: null }]);
		const lastDeliveryAt = new Date(scene.context.nowMs).toISOString();
		expect(await scene.webhook(id)).toMatchObject({ failure: null, lastDeliveryAt });
		expect(scene.context.sender?.tally).toEqual({ delivered: 1, failed: 1 });
		await scene.pass(30 * DAY_MS);
		expect(scene.receiver.messages).toHaveLength(2);
	});

	test("does not delay later messages: new messages and retries are sent alternately, one at a time", async () => {
		const { id } = await scene.subscribe();
		const answer = Promise.withResolvers<number>();
		scene.receiver.answer = () => (scene.receiver.messages.length <= 2 ? 500 : answer.promise);
		for (let at = 0; at < 3; at++) await scene.happen();
		await scene.receiver.has(3);
		await scene.written(2);
		scene.context.advance(5 * SECOND_MS);
		// As long as a message is being sent, neither a redelivery nor a new event starts the next attempt.
		const path = `/api/webhooks/${id}/deliveries/${scene.receiver.messages[0]?.id}`;
		await scene.call("POST", `${path}/redeliver`);
		await scene.happen();
		await scene.happen();
		await scene.hasOnly(3);
		answer.resolve(204);
		await scene.receiver.has(7);
		expect(scene.receiver.eventIds).toEqual(["2", "3", "4", "2", "5", "3", "6"]);
	});

	test.each([
		["the 2 hours that Retry-After requests", "7200", 0, 2 * HOUR_MS],
		["5 seconds and 5 % jitter if Retry-After requests less", "1", 0.5, 5.25 * SECOND_MS],
	])("is sent again after %s", async (_, field, drawn, delayMs) => {
		chance = drawn;
		const { id } = await scene.subscribe();
		const headers = { "retry-after": field };
		scene.receiver.answer = () => new Response("", { status: 429, headers });
		await scene.happen();
		await scene.written(1);
		expect(await nextTimes(id)).toEqual([new Date(scene.context.nowMs + delayMs).toISOString()]);
		scene.context.advance(SECOND_MS);
		expect(await scene.context.sender?.oldestSeconds()).toBe(1);
	});

	test("is sent again without the name of an agent that was deactivated in the meantime", async () => {
		const other = await scene.context.guest({ name: "Orla" });
		await scene.receive(500, { agentIds: [other.id] }, other);
		await scene.context.call("DELETE", "/api/me", { key: other.key });
		await scene.written(2);
		await scene.pass(5 * SECOND_MS);
		await scene.written(4);
		const names = scene.receiver.messages.map(({ event }) => `${event.id} ${event.agent.name}`);
		expect(names).toEqual(["3 Orla", "4 null", "3 null", "4 null"]);
	});

	test("is abandoned if its event has been deleted", async () => {
		const { id } = await scene.receive(500);
		await scene.context.rows("DELETE FROM events");
		await scene.pass(5 * SECOND_MS);
		await scene.happen();
		await scene.written(2);
		expect(scene.receiver.eventIds).toEqual(["2", "3"]);
		expect(await nextTimes(id)).toEqual([expect.any(String), null]);
	});
});

describe("a response with the status 410", () => {
	test("ends the webhook, and abandons the webhook's other messages", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => (scene.receiver.messages.length === 1 ? 500 : 410);
		await scene.happen();
		await scene.happen();
		await scene.written(2);
		expect(await scene.webhook(id)).toMatchObject({ state: "ended", failure: "returned 410" });
		await scene.pass(DAY_MS);
		await scene.happen();
		await scene.hasOnly(2);
		expect(await nextTimes(id)).toEqual([null, null]);
		const refused = { status: 400, body: { error: "The webhook is ended" } };
		expect(await scene.call("POST", `/api/webhooks/${id}/test`)).toMatchObject(refused);
	});

	test("to a ping ends the webhook, so that a message that fails later is not sent again", async () => {
		const { id } = await scene.subscribe();
		const answer = Promise.withResolvers<number>();
		scene.receiver.answer = ({ event }) => (event.type === "webhook.ping" ? 410 : answer.promise);
		await scene.happen();
		await scene.receiver.has(1);
		await scene.call("POST", `/api/webhooks/${id}/test`);
		answer.resolve(500);
		await scene.written(2);
		expect(await scene.deliveries(id)).toMatchObject([
			{ status: 500, next: null },
			{ status: 410, next: null },
		]);
		expect(await scene.webhook(id)).toMatchObject({ state: "ended" });
	});
});

describe("a webhook", () => {
	test("is disabled when all attempts over five days have failed", async () => {
		const { id } = await scene.subscribe();
		scene.receiver.answer = () => 500;
		for (let day = 0; day < 5; day++) {
			await scene.tried();
			await scene.pass(DAY_MS - (day === 4 ? 1 : 0));
		}
		await scene.tried();
		expect(await scene.webhook(id)).toMatchObject({ state: "active" });
		await scene.pass(1);
		// The next failed attempt disables the webhook: the attempt for this event, or a retry.
		await scene.happen();
		await until(async () => (await scene.webhook(id)).state === "disabled");
		expect((await scene.webhook(id)).failure).toBe("returned 500");
		const attempts = scene.receiver.messages.length;
		await scene.pass(DAY_MS);
		await scene.happen();
		await scene.hasOnly(attempts);
		expect(new Set(await nextTimes(id))).toEqual(new Set([null]));
	});

	test("stays active if one attempt in five days has succeeded", async () => {
		const { id } = await scene.subscribe();
		for (let day = 0; day < 8; day++) {
			scene.receiver.answer = () => (day === 4 ? 204 : 500);
			await scene.tried();
			await scene.pass(DAY_MS);
		}
		expect(await scene.webhook(id)).toMatchObject({ state: "active" });
	});
});
