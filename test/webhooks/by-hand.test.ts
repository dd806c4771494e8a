import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DAY_MS } from "../../src/lib/clock.ts";
import {
	checkInOrOut,
	deliveriesOf,
	letPass,
	Receiver,
	subscribe,
	toLoopback,
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

const happen = () => checkInOrOut(context, owner);
const deliveries = (id: string) => deliveriesOf(context, owner, id);
const webhook = (id: string) => webhookOf(context, owner, id);
const pass = (durationMs: number) => letPass(context, durationMs);

describe("POST /api/webhooks/{id}/test", () => {
	test("sends a ping now, and tells what came of it", async () => {
		const { id, secret } = await subscribe(context, owner, {
			url: receiver.url(),
		});
		const ask = () =>
			context.ask("POST", `/api/webhooks/${id}/test`, { key: owner.key });
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
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => 410;
		await context.ask("POST", `/api/webhooks/${id}/test`, { key: owner.key });
		expect(await webhook(id)).toMatchObject({ state: "ended" });
		await happen();
		await Bun.sleep(30);
		expect(receiver.messages).toEqual([]);
	});
});

describe("POST /api/webhooks/{id}/deliveries/{deliveryId}/redeliver", () => {
	const redeliver = (id: string, delivery: string) =>
		context.ask(
			"POST",
			`/api/webhooks/${id}/deliveries/${delivery}/redeliver`,
			{
				key: owner.key,
			},
		);

	test("sends the same again, with the same id", async () => {
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		await happen();
		await written(context, 1);
		const [first] = receiver.messages;
		const { status, body } = await redeliver(id, first?.id ?? "");
		expect(status).toBe(200);
		expect(body.delivery).toMatchObject({
			id: first?.id as string,
			attempt: 1,
			next: "2026-03-10T12:00:00.000Z",
		});
		await receiver.has(2);
		await written(context, 2);
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
		const { id } = await subscribe(context, owner, { url: receiver.url() });
		receiver.answer = () => 500;
		await happen();
		await written(context, 1);
		receiver.answer = () => 204;
		await redeliver(id, receiver.messages[0]?.id ?? "");
		await written(context, 2);
		expect(await deliveries(id)).toMatchObject([
			{ attempt: 2, status: 204, next: null },
		]);
	});

	test("refuses what there is not, what is another webhook's and what is forgotten", async () => {
		const one = await subscribe(context, owner, { url: receiver.url() });
		const two = await subscribe(context, owner, {
			url: receiver.url(),
			types: ["agent.gone"],
		});
		await happen();
		await written(context, 1);
		const delivery = receiver.messages[0]?.id ?? "";
		expect((await redeliver(one.id, "msg_1")).body.error).toBe(
			"Delivery not found",
		);
		expect((await redeliver(two.id, delivery)).status).toBe(404);
		await context.rows("DELETE FROM events");
		expect((await redeliver(one.id, delivery)).body.error).toBe(
			"The event has been forgotten",
		);
	});
});
