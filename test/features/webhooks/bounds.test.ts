import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type {
	OutgoingRequest,
	WebhookNetwork,
	WebhookOptions,
} from "../../../src/features/webhooks/delivery-attempt.ts";
import type { Registered } from "../../support/calls.ts";
import { TestResort } from "../../support/resort.ts";
import { until } from "../../support/until.ts";
import { subscribe, toLoopback, written } from "./receiver.ts";

/** A network that responds to pings immediately, and to other messages only after `release`. */
class Held implements WebhookNetwork {
	readonly sent: OutgoingRequest[] = [];
	/** The host of each message that has arrived and is not yet answered. */
	readonly running: string[] = [];
	readonly #held: (() => void)[] = [];
	holds = true;
	/** The maximum number of messages without a response. */
	most = 0;

	async resolve() {
		return ["127.0.0.1"];
	}

	async send(sending: OutgoingRequest) {
		if (sending.body.includes("webhook.ping")) return { status: 204, retryAfter: null };
		this.sent.push(sending);
		this.running.push(sending.url.hostname);
		this.most = Math.max(this.most, this.running.length);
		if (this.holds) await new Promise<void>((go) => this.#held.push(go));
		this.running.splice(this.running.indexOf(sending.url.hostname), 1);
		return { status: 204, retryAfter: null };
	}

	async release(pauseMs = 20): Promise<void> {
		for (const go of this.#held.splice(0)) go();
		await Bun.sleep(pauseMs);
	}
}

let context: TestResort;
let owner: Registered;
afterEach(() => context.close());

async function open(webhooks: Partial<WebhookOptions>): Promise<void> {
	context = new TestResort({ webhooks: { ...toLoopback, ...webhooks } });
	context.sender?.start();
	owner = await context.register();
}

/** Creates webhooks by calls from the address `peer`: five for each agent, and each with a different host. */
async function subscribeFrom(peer: string, count: number): Promise<void> {
	let agent = owner;
	for (let at = 0; at < count; at++) {
		if (at % 5 === 0) agent = await context.register();
		const url = `http://${at}.${peer.replaceAll(":", "-")}.test/`;
		await subscribe(context, agent, { url }, { peer });
	}
}

test("POST /api/webhooks returns 503 if its ping must wait too long for other deliveries", async () => {
	const network = new Held();
	await open({ network, attemptMs: 50 });
	await subscribeFrom("192.0.2.1", 16);
	await context.checkInOrOut(owner);
	await until(() => network.running.length === 16);
	const body = { url: "http://other.test/" };
	const ask = { key: owner.key, body, peer: "192.0.2.1" };
	const { status, headers } = await context.call("POST", "/api/webhooks", ask);
	expect([status, headers.get("retry-after")]).toEqual([503, "15"]);
	await network.release();
});

describe("deliveries", () => {
	let network: Held;
	beforeEach(async () => {
		network = new Held();
		await open({ network });
	});
	afterEach(() => {
		network.holds = false;
		return network.release();
	});

	/** Waits until `count` deliveries are in progress, and expects that there are no more. */
	async function running(count: number): Promise<void> {
		await until(() => network.running.length >= count);
		await Bun.sleep(50);
		expect(network.running).toHaveLength(count);
	}

	test("are limited to 200 at a time, 16 for a client network and 160 for a /48 network, and all are made in the end", async () => {
		for (let at = 1; at <= 12; at++) await subscribeFrom(`2001:db8:1:${at}00::1`, 17);
		await context.checkInOrOut(owner);
		await running(160);
		for (let at = 1; at <= 3; at++) await subscribeFrom(`192.0.2.${at}`, 17);
		await context.checkInOrOut(owner);
		await running(200);
		while (network.sent.length < 459) await network.release();
		await network.release();
		expect(network.most).toBe(200);
		await written(context, 459);
	});

	test("to one webhook are sent one at a time, in order", async () => {
		await subscribe(context, owner, { url: "http://a.test/" });
		for (let at = 0; at < 5; at++) await context.checkInOrOut(owner);
		for (let at = 1; at <= 5; at++) {
			await until(() => network.sent.length === at);
			await Bun.sleep(10);
			expect(network.running).toHaveLength(1);
			await network.release();
		}
		const ids = network.sent.map(({ body }) => JSON.parse(body).id);
		expect(ids).toEqual(["1", "2", "3", "4", "5"]);
	});
});
