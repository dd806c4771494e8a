import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
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

describe("a message that is not taken", () => {
	test("is sent again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then no more", async () => {
		const { id, secret } = await subscribe(context, owner, {
			url: receiver.url(),
			types: ["agent.available"],
		});
		receiver.answer = () => 500;
		await happen();
		await written(context, 1);
		const delays = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS].concat(
			[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
		);
		const startMs = context.nowMs;
		for (const [at, delayMs] of delays.entries()) {
			const [told] = await deliveries(id);
			expect(told).toMatchObject({
				attempt: at + 1,
				status: 500,
				next: new Date(context.nowMs + delayMs).toISOString(),
			});
			await pass(delayMs - 1);
			expect(receiver.messages).toHaveLength(at + 1);
			await pass(1);
			await written(context, at + 2);
		}
		expect(context.nowMs - startMs).toBe(
			75 * HOUR_MS + 35 * MINUTE_MS + 5 * SECOND_MS,
		);
		const [told] = await deliveries(id);
		expect(told).toMatchObject({ attempt: 10, next: null });
		await pass(10 * DAY_MS);
		expect(receiver.messages).toHaveLength(10);
		expect(new Set(receiver.messages.map((one) => one.id)).size).toBe(1);
		expect(new Set(receiver.messages.map((one) => one.text)).size).toBe(1);
		receiver.verify(secret);
		expect(await webhook(id)).toMatchObject({
			state: "active",
			failure: "answered 500",
		});
	});

	test("is sent again once, when that is taken", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => (receiver.messages.length === 1 ? 500 : 200);
		await happen();
		await written(context, 1);
		expect(await webhook(id)).toMatchObject({
			failure: "answered 500",
			lastDeliveryAt: null,
		});
		await pass(5 * SECOND_MS);
		await written(context, 2);
		expect((await deliveries(id))[0]).toMatchObject({
			attempt: 2,
			status: 200,
			next: null,
		});
		expect(await webhook(id)).toMatchObject({
			failure: null,
			lastDeliveryAt: new Date(context.nowMs).toISOString(),
		});
		await pass(30 * DAY_MS);
		expect(receiver.messages).toHaveLength(2);
	});

	test("does not hold up those behind it", async () => {
		await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = ({ event }) =>
			event.id === "2" && receiver.messages.length < 5 ? 503 : 204;
		await happen();
		await happen();
		await happen();
		await receiver.has(3);
		await written(context, 3);
		await pass(5 * SECOND_MS);
		await happen();
		await receiver.has(5);
		expect(receiver.eventIds.slice(0, 3)).toEqual(["2", "3", "4"]);
		expect(receiver.eventIds.slice(3).toSorted()).toEqual(["2", "5"]);
	});

	test.each([
		["7200", 2 * HOUR_MS],
		["1", 5 * SECOND_MS],
		["999999", DAY_MS],
		["nonsense", 5 * SECOND_MS],
	])("waits for as long as Retry-After says: %s", async (field, delayMs) => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		const headers = { "retry-after": field };
		receiver.answer = () => new Response("", { status: 429, headers });
		await happen();
		await written(context, 1);
		const [told] = await deliveries(id);
		expect(told?.next).toBe(new Date(context.nowMs + delayMs).toISOString());
	});

	test("tells nobody's name any more who has been deactivated since", async () => {
		const other = await context.guest({ name: "Orla" });
		await subscribe(context, owner, {
			url: receiver.url(),
			agentIds: [other.id],
		});
		receiver.answer = () => 500;
		await happen(other);
		await written(context, 1);
		await context.ask("DELETE", "/api/me", { key: other.key });
		await written(context, 2);
		await pass(5 * SECOND_MS);
		await written(context, 4);
		const names = receiver.messages.map(({ event }) => [
			event.id,
			event.agent.name,
		]);
		expect(names.slice(0, 2)).toEqual([
			["3", "Orla"],
			["4", null],
		]);
		expect(names.slice(2)).toEqual([
			["3", null],
			["4", null],
		]);
	});

	test("is given up when its event has been forgotten", async () => {
		await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(context, 1);
		await context.rows("DELETE FROM events");
		await pass(5 * SECOND_MS);
		await happen();
		await written(context, 2);
		expect(receiver.eventIds).toEqual(["2", "3"]);
		const waiting =
			"SELECT event_id FROM webhook_deliveries WHERE next_at IS NOT NULL";
		expect(
			(await context.rows(waiting)).map((row) => Number(row.event_id)),
		).toEqual([3]);
	});

	test("ends the subscription with 410", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => (receiver.messages.length === 1 ? 500 : 410);
		await happen();
		await happen();
		await written(context, 2);
		expect(await webhook(id)).toMatchObject({
			state: "ended",
			failure: "answered 410",
		});
		await pass(DAY_MS);
		await happen();
		await Bun.sleep(30);
		expect(receiver.messages).toHaveLength(2);
		expect((await deliveries(id)).map(({ next }) => next)).toEqual([
			null,
			null,
		]);
		const path = `/api/webhooks/${id}/test`;
		const { status, body } = await context.ask("POST", path, {
			key: owner.key,
		});
		expect({ status, error: body.error }).toEqual({
			status: 400,
			error: "The webhook is ended",
		});
	});

	test("disables the webhook after five days of failures only", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		const first = context.nowMs;
		let attempts = 0;
		for (let day = 0; day < 5; day++) {
			await tried();
			expect(await webhook(id)).toMatchObject({ state: "active" });
			await pass(DAY_MS - (day === 4 ? 1 : 0));
		}
		expect(context.nowMs - first).toBe(5 * DAY_MS - 1);
		await tried();
		expect(await webhook(id)).toMatchObject({ state: "active" });
		await pass(1);
		await tried();
		expect(await webhook(id)).toMatchObject({
			state: "disabled",
			failure: "answered 500",
		});
		attempts = receiver.messages.length;
		await pass(DAY_MS);
		await happen();
		await Bun.sleep(30);
		expect(receiver.messages).toHaveLength(attempts);
		const waiting = (await deliveries(id)).filter(({ next }) => next !== null);
		expect(waiting).toEqual([]);
	});

	test("counts from the last success on", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		for (let day = 0; day < 8; day++) {
			receiver.answer = () => (day === 4 ? 204 : 500);
			await tried();
			await pass(DAY_MS);
		}
		expect(await webhook(id)).toMatchObject({ state: "active" });
	});
});
