import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	DAY_MS,
	HOUR_MS,
	MINUTE_MS,
	SECOND_MS,
} from "../../../src/lib/clock.ts";
import { Doing } from "../../support/doing.ts";
import {
	Receiver,
	subscribe,
	toLoopback,
	written,
} from "../../support/receiver.ts";
import { type Registered, TestResort } from "../../support/resort.ts";
import { until } from "../../support/until.ts";

let house: TestResort;
let owner: Registered;
let receiver: Receiver;

beforeEach(async () => {
	house = new TestResort({ webhooks: toLoopback, keepEventsMs: 30 * DAY_MS });
	house.sender?.start();
	owner = await house.guest({ name: "Juniper" });
	receiver = new Receiver();
});
afterEach(async () => {
	await house.close();
	await receiver[Symbol.asyncDispose]();
});

/** Checks an agent in or out, in turns: an event each time. */
async function happen(agent = owner): Promise<void> {
	const key = agent.key;
	const { status } = await house.ask("POST", "/api/checkout", { key });
	if (status !== 200) await house.ask("POST", "/api/checkin", { key });
}

async function deliveries(id: string) {
	const path = `/api/webhooks/${id}/deliveries`;
	return (await house.ask("GET", path, { key: owner.key })).body.deliveries;
}

async function webhook(id: string) {
	const path = `/api/webhooks/${id}`;
	return (await house.ask("GET", path, { key: owner.key })).body.webhook;
}

/** Makes an event, and waits until it was sent and what came of that is written down. */
async function tried(agent = owner): Promise<void> {
	await happen(agent);
	await until(async () => {
		const [row] = await house.rows(
			"SELECT (SELECT max(id) FROM events) = max(event_id) AS is_newest, min(attempt) AS least FROM webhook_deliveries",
		);
		return Boolean(row?.is_newest) && Number(row?.least) > 0;
	});
}

/** Moves the clock by so much, and waits until that has had its effect. */
async function pass(durationMs: number): Promise<void> {
	house.advance(durationMs);
	await Bun.sleep(40);
}

describe("a webhook", () => {
	test("is sent what happens after it was made, in order, as events tell it", async () => {
		const { id, secret } = await subscribe(house, owner, {
			url: receiver.url(),
		});
		for (let at = 0; at < 20; at++) await happen();
		await receiver.has(20);
		const { body } = await house.ask("GET", "/api/events?since=1");
		expect(receiver.messages.map(({ event }) => event as unknown)).toEqual([
			...(body as unknown as { events: unknown[] }).events,
		]);
		expect(new Set(receiver.messages.map((one) => one.id)).size).toBe(20);
		expect(receiver.messages[0]?.id).toBe(`msg_${id.replaceAll("-", "")}_2`);
		receiver.verify(secret);
		await written(house, 20);
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
		const other = await house.guest();
		const third = await house.guest();
		await subscribe(house, owner, { url: receiver.url() });
		const doing = new Doing(house);
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
		const [other, third] = [await house.guest(), await house.guest()];
		await subscribe(house, owner, {
			url: receiver.url(),
			agentIds: [other.id],
		});
		const doing = new Doing(house);
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
		await subscribe(house, owner, {
			url: receiver.url(),
			types: ["agent.available", "agent.gone"],
		});
		const other = await house.guest();
		await happen(other);
		await happen();
		await happen();
		await house.ask("DELETE", "/api/me", { key: other.key });
		await receiver.has(3);
		await Bun.sleep(30);
		expect(receiver.types).toEqual([
			"agent.available",
			"agent.available",
			"agent.gone",
		]);
	});

	test("ends with its owner", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(house, 1);
		const other = await house.guest();
		await written(house, 2);
		await house.ask("DELETE", "/api/me", { key: owner.key });
		await pass(DAY_MS);
		await happen(other);
		await Bun.sleep(30);
		expect(receiver.messages).toHaveLength(2);
		const rows = await house.rows(
			`SELECT state FROM webhooks WHERE id = '${id}'`,
		);
		expect(rows).toEqual([{ state: "ended" }]);
		expect(
			await house.rows(
				"SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL",
			),
		).toEqual([]);
	});

	test("that is deleted is sent nothing more, also of what waits", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(house, 1);
		await house.ask("DELETE", `/api/webhooks/${id}`, { key: owner.key });
		await pass(DAY_MS);
		await happen();
		await Bun.sleep(30);
		expect(receiver.messages).toHaveLength(1);
	});
});

describe("a message that is not taken", () => {
	test("is sent again after 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h, and then no more", async () => {
		const { id, secret } = await subscribe(house, owner, {
			url: receiver.url(),
			types: ["agent.available"],
		});
		receiver.answer = () => 500;
		await happen();
		await written(house, 1);
		const delays = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS].concat(
			[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
		);
		const startMs = house.nowMs;
		for (const [at, delayMs] of delays.entries()) {
			const [told] = await deliveries(id);
			expect(told).toMatchObject({
				attempt: at + 1,
				status: 500,
				next: new Date(house.nowMs + delayMs).toISOString(),
			});
			await pass(delayMs - 1);
			expect(receiver.messages).toHaveLength(at + 1);
			await pass(1);
			await written(house, at + 2);
		}
		expect(house.nowMs - startMs).toBe(
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
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => (receiver.messages.length === 1 ? 500 : 200);
		await happen();
		await written(house, 1);
		expect(await webhook(id)).toMatchObject({
			failure: "answered 500",
			lastDeliveryAt: null,
		});
		await pass(5 * SECOND_MS);
		await written(house, 2);
		expect((await deliveries(id))[0]).toMatchObject({
			attempt: 2,
			status: 200,
			next: null,
		});
		expect(await webhook(id)).toMatchObject({
			failure: null,
			lastDeliveryAt: new Date(house.nowMs).toISOString(),
		});
		await pass(30 * DAY_MS);
		expect(receiver.messages).toHaveLength(2);
	});

	test("does not hold up those behind it", async () => {
		await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = ({ event }) =>
			event.id === "2" && receiver.messages.length < 5 ? 503 : 204;
		await happen();
		await happen();
		await happen();
		await receiver.has(3);
		await written(house, 3);
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
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		const headers = { "retry-after": field };
		receiver.answer = () => new Response("", { status: 429, headers });
		await happen();
		await written(house, 1);
		const [told] = await deliveries(id);
		expect(told?.next).toBe(new Date(house.nowMs + delayMs).toISOString());
	});

	test("tells nobody's name any more who has been deactivated since", async () => {
		const other = await house.guest({ name: "Orla" });
		await subscribe(house, owner, {
			url: receiver.url(),
			agentIds: [other.id],
		});
		receiver.answer = () => 500;
		await happen(other);
		await written(house, 1);
		await house.ask("DELETE", "/api/me", { key: other.key });
		await written(house, 2);
		await pass(5 * SECOND_MS);
		await written(house, 4);
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
		await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(house, 1);
		await house.rows("DELETE FROM events");
		await pass(5 * SECOND_MS);
		await happen();
		await written(house, 2);
		expect(receiver.eventIds).toEqual(["2", "3"]);
		const waiting =
			"SELECT event_id FROM webhook_deliveries WHERE next_at IS NOT NULL";
		expect(
			(await house.rows(waiting)).map((row) => Number(row.event_id)),
		).toEqual([3]);
	});

	test("ends the subscription with 410", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => (receiver.messages.length === 1 ? 500 : 410);
		await happen();
		await happen();
		await written(house, 2);
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
		const { status, body } = await house.ask("POST", path, { key: owner.key });
		expect({ status, error: body.error }).toEqual({
			status: 400,
			error: "The webhook is ended",
		});
	});

	test("disables the webhook after five days of failures only", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		const first = house.nowMs;
		let attempts = 0;
		for (let day = 0; day < 5; day++) {
			await tried();
			expect(await webhook(id)).toMatchObject({ state: "active" });
			await pass(DAY_MS - (day === 4 ? 1 : 0));
		}
		expect(house.nowMs - first).toBe(5 * DAY_MS - 1);
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
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		for (let day = 0; day < 8; day++) {
			receiver.answer = () => (day === 4 ? 204 : 500);
			await tried();
			await pass(DAY_MS);
		}
		expect(await webhook(id)).toMatchObject({ state: "active" });
	});
});

describe("POST /api/webhooks/{id}/test", () => {
	test("sends a ping now, and tells what came of it", async () => {
		const { id, secret } = await subscribe(house, owner, {
			url: receiver.url(),
		});
		const ask = () =>
			house.ask("POST", `/api/webhooks/${id}/test`, { key: owner.key });
		const fine = await ask();
		expect(fine.status).toBe(200);
		expect(fine.body.delivery).toEqual({
			id: receiver.pings[1]?.id as string,
			eventId: null,
			at: "2026-03-10T12:00:00.000Z",
			attempt: 1,
			status: 204,
			next: null,
		});
		receiver.answer = () => 500;
		const failed = await ask();
		expect(failed.body.delivery).toMatchObject({
			attempt: 1,
			status: 500,
			next: null,
		});
		expect(await deliveries(id)).toEqual([
			failed.body.delivery,
			fine.body.delivery,
		]);
		expect(await webhook(id)).toMatchObject({ failure: "answered 500" });
		await pass(30 * DAY_MS);
		expect(receiver.pings).toHaveLength(3);
		expect(new Set(receiver.pings.map((ping) => ping.id)).size).toBe(3);
		receiver.verify(secret);
	});

	test("ends the subscription when it is answered 410", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => 410;
		await house.ask("POST", `/api/webhooks/${id}/test`, { key: owner.key });
		expect(await webhook(id)).toMatchObject({ state: "ended" });
		await happen();
		await Bun.sleep(30);
		expect(receiver.messages).toEqual([]);
	});
});

describe("POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver", () => {
	const redeliver = (id: string, delivery: string) =>
		house.ask("POST", `/api/webhooks/${id}/deliveries/${delivery}/redeliver`, {
			key: owner.key,
		});

	test("sends the same again, with the same id", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		await happen();
		await written(house, 1);
		const [first] = receiver.messages;
		const { status, body } = await redeliver(id, first?.id ?? "");
		expect(status).toBe(200);
		expect(body.delivery).toMatchObject({
			id: first?.id as string,
			attempt: 1,
			next: "2026-03-10T12:00:00.000Z",
		});
		await receiver.has(2);
		await written(house, 2);
		const [, second] = receiver.messages;
		expect(second).toMatchObject({
			id: first?.id as string,
			text: first?.text as string,
		});
		expect(await deliveries(id)).toMatchObject([
			{ attempt: 2, status: 204, next: null },
		]);
	});

	test("does not wait for the next attempt", async () => {
		const { id } = await subscribe(house, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(house, 1);
		receiver.answer = () => 204;
		await redeliver(id, receiver.messages[0]?.id ?? "");
		await written(house, 2);
		expect(await deliveries(id)).toMatchObject([
			{ attempt: 2, status: 204, next: null },
		]);
	});

	test("refuses what there is not, what is another webhook's and what is forgotten", async () => {
		const one = await subscribe(house, owner, { url: receiver.url() });
		const two = await subscribe(house, owner, {
			url: receiver.url(),
			types: ["agent.gone"],
		});
		await happen();
		await written(house, 1);
		const delivery = receiver.messages[0]?.id ?? "";
		expect((await redeliver(one.id, "msg_1")).body.error).toBe(
			"Delivery not found",
		);
		expect((await redeliver(two.id, delivery)).status).toBe(404);
		await house.rows("DELETE FROM events");
		expect((await redeliver(one.id, delivery)).body.error).toBe(
			"The event has been forgotten",
		);
	});
});

test("only the newest 100 are kept, and those that wait", async () => {
	const { id } = await subscribe(house, owner, { url: receiver.url() });
	receiver.answer = ({ event }) => (event.id === "2" ? 500 : 204);
	for (let at = 0; at < 109; at++) await happen();
	await tried();
	const told = await deliveries(id);
	expect(told).toHaveLength(100);
	expect(told[0]?.eventId).toBe("111");
	const rows = await house.rows(
		"SELECT event_id FROM webhook_deliveries ORDER BY seq",
	);
	expect(rows.map((row) => Number(row.event_id))).toEqual([
		2,
		...Array.from({ length: 100 }, (_, at) => at + 12),
	]);
});

test("of more than 10,000 that wait the oldest are given up", async () => {
	const { id } = await subscribe(house, owner, { url: receiver.url() });
	receiver.answer = () => 500;
	const many = 10_005;
	await house.rows(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
			INSERT INTO webhook_deliveries (id, webhook_id, event_id, created_at, at, attempt, next_at)
			SELECT 'd' || i, '${id}', 1, 1, 1, 0, 9000000000000 FROM n`,
	);
	await happen();
	await written(house, 1);
	const waiting = await house.rows(
		"SELECT id FROM webhook_deliveries WHERE next_at IS NOT NULL ORDER BY seq",
	);
	expect(waiting).toHaveLength(10_000);
	expect(waiting[0]?.id).toBe("d7");
});
