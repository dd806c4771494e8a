import { expect, spyOn, test } from "bun:test";
import { SECOND_MS } from "../../../src/core/lib/clock.ts";
import type { WebhookNetwork } from "../../../src/features/webhooks/delivery-attempt.ts";
import { LastingDatabase } from "../../support/lasting.ts";
import { type Setup, TestResort } from "../../support/resort.ts";
import { until } from "../../support/until.ts";
import { useDisposable } from "../../support/use-disposable.ts";
import { subscribe, toLoopback, useReceiver, written } from "./receiver.ts";

const database = useDisposable(() => new LastingDatabase());
const receiver = useReceiver();

/** The interval at which the lease is renewed. It is short, so the next instance gets the lease soon. */
const leaseEveryMs = 100;

/** Opens an instance that sends messages, and creates an agent with a webhook. */
async function openWithWebhook(body: object = {}, setup: Setup = {}) {
	const context = open(setup);
	const owner = await context.register();
	const url = receiver.url();
	const { id } = await subscribe(context, owner, { url, ...body });
	return { context, owner, id };
}

/** Opens an instance that sends messages. */
function open(setup: Setup = {}): TestResort {
	const context = new TestResort({ database, webhooks: { ...toLoopback, leaseEveryMs }, ...setup });
	context.sender?.start();
	return context;
}

/** Checks that the first two messages are equal. */
function expectSame(): void {
	const [first, second] = receiver.messages;
	expect(second?.id).toBe(`${first?.id}`);
	expect(second?.text).toBe(`${first?.text}`);
}

test("after a restart, a retry is sent when it is due", async () => {
	const types = ["agent.relaxing"];
	const { context: before, owner } = await openWithWebhook({ types });
	receiver.answer = () => 500;
	await before.checkInOrOut(owner);
	await written(before, 1);
	await before.close();

	await using after = open({ nowMs: before.nowMs });
	receiver.answer = () => 204;
	// If the retry were sent too early, it would arrive before the message to this second webhook.
	const other = await after.register();
	const body = { url: receiver.url(), types: ["agent.gone"] };
	await subscribe(after, owner, body);
	await after.call("DELETE", "/api/me", { key: other.key });
	await receiver.has(2);
	const [between] = receiver.messages.splice(1);
	expect(between?.id).not.toBe(`${receiver.messages[0]?.id}`);
	after.advance(5 * SECOND_MS);
	await receiver.has(2);
	expectSame();
});

test("after a restart, events that were not delivered are sent in order, except deleted ones", async () => {
	const { context: before, owner, id } = await openWithWebhook();
	await before.sender?.stop();
	for (let at = 0; at < 5; at++) await before.checkInOrOut(owner);
	await before.rows("DELETE FROM events WHERE id < 3");
	await before.close();
	expect(receiver.messages).toEqual([]);

	await using after = open();
	await receiver.has(3);
	expect(receiver.eventIds).toEqual(["3", "4", "5"]);
	expect(receiver.messages[0]?.id).toBe(`msg_${id.replaceAll("-", "")}_3`);
	await written(after, 3);
});

test("a message is sent again with the same id if the instance was killed before it stored the result", async () => {
	const { context: first, owner } = await openWithWebhook();
	await first.close();

	// The message reaches the receiver, but this instance never gets the response.
	const never = new Promise<never>(() => {});
	const send: WebhookNetwork["send"] = async (outgoing) => {
		await toLoopback.network.send(outgoing);
		return never;
	};
	const webhooks = { ...toLoopback, network: { ...toLoopback.network, send }, leaseEveryMs };
	const killed = open({ webhooks });
	await killed.checkInOrOut(owner);
	await receiver.has(1);
	await killed.context.store.close();
	database.share();

	await using after = open();
	await receiver.has(2);
	await written(after, 1);
	expectSame();
});

test("a stopping instance waits for running attempts, and stores their results", async () => {
	const { context, owner } = await openWithWebhook();
	const answer = Promise.withResolvers<number>();
	receiver.answer = () => answer.promise;
	await context.checkInOrOut(owner);
	await receiver.has(1);
	const closing = context.close();
	answer.resolve(204);
	await closing;
	await using after = open();
	await written(after, 1);
});

test("a stopping instance aborts the running attempts after 5 s", async () => {
	const { context, owner } = await openWithWebhook();
	receiver.answer = () => Promise.withResolvers<number>().promise;
	await context.checkInOrOut(owner);
	await receiver.has(1);
	const setReal = setTimeout;
	using _ = spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) =>
		setReal(run, ms === 5 * SECOND_MS ? 0 : ms)) as typeof setTimeout);
	await context.close();
});

test("a stopping instance stores each webhook's position in the events, even for a webhook that received none", async () => {
	const types = ["agent.gone"];
	const { context, owner, id } = await openWithWebhook({ types });
	await subscribe(context, owner, { url: receiver.url() });
	for (let at = 0; at < 3; at++) await context.checkInOrOut(owner);
	// Once the other webhook has received all three events, the instance has read them.
	await receiver.has(3);
	const position = `SELECT position FROM webhooks WHERE id = '${id}'`;
	expect(await context.rows(position)).toEqual([{ position: 0 }]);
	await context.close();
	await using after = open();
	const positions = await after.rows("SELECT position FROM webhooks");
	expect(positions).toEqual([{ position: 3 }, { position: 3 }]);
});

test("a message is sent only once even if the database fails before and after the attempt", async () => {
	// The lease is renewed at the default interval, which is so long that no renewal falls into the outage.
	const setup = { webhooks: toLoopback };
	const { context, owner } = await openWithWebhook({}, setup);
	const { store } = context.context;
	const { write } = store;
	let failures = 0;
	receiver.answer = () => {
		store.write = () => {
			failures++;
			return Promise.reject(new Error("no storage"));
		};
		return 204;
	};
	await context.rows("ALTER TABLE webhooks RENAME TO elsewhere");
	await context.checkInOrOut(owner);
	await until(() => context.log.length > 0);
	expect(receiver.messages).toEqual([]);
	await context.rows("ALTER TABLE elsewhere RENAME TO webhooks");
	await until(() => failures > 0);
	store.write = write;
	await written(context, 1);
	expect(receiver.messages).toHaveLength(1);
	expect(failures).toBe(1);
	const failed = { message: "webhook failed" };
	expect(context.log).toMatchObject([failed, failed]);
	await context.close();
});
