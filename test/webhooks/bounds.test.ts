import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { OutgoingRequest, WebhookNetwork } from "../../src/webhooks/webhook-network.ts";
import type { WebhookOptions } from "../../src/webhooks/webhook-sender.ts";
import { subscribe, toLoopback, written } from "../support/receiver.ts";
import { type Registered, TestResort } from "../support/resort.ts";
import { until } from "../support/until.ts";

/** A duration after which a receiver is slow. */
const SLOW_MS = 30;

/** A network in which messages are held until they are let go; pings are answered at once. */
class Held implements WebhookNetwork {
	readonly sent: OutgoingRequest[] = [];
	readonly #held: (() => void)[] = [];
	/** Whether messages are held; if not, their receivers are slow. */
	holds = true;
	most = 0;
	mostOfHost = 0;

	async resolve() {
		return ["127.0.0.1"];
	}

	async send(sending: OutgoingRequest) {
		if (sending.body.includes("webhook.ping")) {
			return { status: 204, retryAfter: null };
		}
		this.sent.push(sending);
		this.under.push(sending.url.hostname);
		const ofHost = this.under.filter((host) => host === sending.url.hostname);
		this.most = Math.max(this.most, this.under.length);
		this.mostOfHost = Math.max(this.mostOfHost, ofHost.length);
		if (this.holds) await new Promise<void>((go) => this.#held.push(go));
		else await Bun.sleep(SLOW_MS + 10);
		this.under.splice(this.under.indexOf(sending.url.hostname), 1);
		return { status: 204, retryAfter: null };
	}

	/** The hosts to which something is under way. */
	readonly under: string[] = [];

	async release(pauseMs = 20): Promise<void> {
		for (const go of this.#held.splice(0)) go();
		await Bun.sleep(pauseMs);
	}

	/** Lets the message go that has been held the longest. */
	letGo(at: number): void {
		for (const go of this.#held.splice(at, 1)) go();
	}
}

let context: TestResort;
let owner: Registered;
afterEach(() => context.close());

/** Opens a resort that sends webhooks, with an agent. */
async function open(webhooks: Partial<WebhookOptions>): Promise<void> {
	context = new TestResort({ webhooks: { ...toLoopback, ...webhooks } });
	context.sender?.start();
	owner = await context.register();
}

test("a ping that gets no slot in time is refused", async () => {
	const network = new Held();
	await open({ network, attemptMs: 50 });
	for (const port of [1, 2]) {
		await subscribe(context, owner, { url: `http://same.test:${port}/` });
	}
	await context.checkInOrOut(owner);
	await until(() => network.under.length === 2);
	const { status, headers } = await context.ask("POST", "/api/webhooks", {
		key: owner.key,
		body: { url: "http://same.test:3/" },
	});
	expect(status).toBe(503);
	expect(headers.get("retry-after")).toBe("15");
	await network.release();
});

describe("deliveries", () => {
	let network: Held;
	beforeEach(async () => {
		network = new Held();
		await open({ network, slowMs: SLOW_MS });
	});
	afterEach(() => {
		network.holds = false;
		return network.release();
	});

	test("are 20 at a time, and 2 to one host", async () => {
		for (let at = 0; at < 30; at++) {
			const agent = await context.register();
			for (const host of [`host${at}.test`, "same.test"]) {
				const url = `http://${host}:${at + 1}/`;
				await subscribe(context, agent, { url }, { peer: `192.0.2.${at}` });
			}
		}
		await context.checkInOrOut(owner);
		await until(() => network.under.length === 20);
		await Bun.sleep(50);
		expect(network.under).toHaveLength(20);
		while (network.sent.length < 60) await network.release();
		await network.release();
		expect(network.most).toBe(20);
		expect(network.mostOfHost).toBe(2);
		await written(context, 60);
	});

	/** Creates webhooks with hosts of their own from an address, five for each agent. */
	async function subscribeFrom(peer: string, count: number): Promise<void> {
		let agent = owner;
		for (let at = 0; at < count; at++) {
			if (at % 5 === 0) agent = await context.register();
			const url = `http://${at}.${peer.replaceAll(":", "-")}.test/`;
			await subscribe(context, agent, { url }, { peer });
		}
	}

	/** Waits until the deliveries that can run do. */
	async function running(count: number): Promise<void> {
		await until(() => network.under.length >= count);
		await Bun.sleep(50);
		expect(network.under).toHaveLength(count);
	}

	test.each([
		["an address", ["192.0.2.1"]],
		["a /48", ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:f00::1"]],
	])("are 10 at a time for %s, and the other 10 for networks that have none", async (_, peers) => {
		for (const peer of peers) await subscribeFrom(peer, 20);
		await context.checkInOrOut(owner);
		await running(10);
		for (let at = 1; at <= 11; at++) {
			await subscribeFrom(`198.51.100.${at}`, 2);
		}
		await context.checkInOrOut(owner);
		await running(20);
		const others = network.under.filter((host) => host.includes(".198.51."));
		expect(new Set(others.map((host) => host.slice(2))).size).toBe(10);
		// Slots that become free are for networks that have none.
		network.letGo(0);
		await until(() => network.sent.length === 21);
		expect(network.sent.at(-1)?.url.hostname).toBe("0.198.51.100.11.test");
	});

	test("to others start within a second beside 200 receivers of 8 networks that do not answer, and the slow ones share 5 slots", async () => {
		for (let at = 1; at <= 8; at++) await subscribeFrom(`192.0.2.${at}`, 25);
		await subscribeFrom("198.51.100.1", 1);
		await context.checkInOrOut(owner);
		const startMs = performance.now();
		const isOfVictim = ({ url }: OutgoingRequest) => url.hostname.endsWith(".198.51.100.1.test");
		await until(() => network.sent.some(isOfVictim));
		expect(performance.now() - startMs).toBeLessThan(1_000);
		await running(18);
		network.holds = false;
		await network.release();
		await until(() => network.sent.length === 201 && !network.under.length);
		network.holds = true;
		await context.checkInOrOut(owner);
		await running(5);
	});

	test("are one at a time for each webhook, in order", async () => {
		await subscribe(context, owner, { url: "http://a.test/" });
		for (let at = 0; at < 5; at++) await context.checkInOrOut(owner);
		for (let at = 1; at <= 5; at++) {
			await until(() => network.sent.length === at);
			await Bun.sleep(10);
			expect(network.under).toHaveLength(1);
			await network.release();
		}
		const ids = network.sent.map(({ body }) => JSON.parse(body).id);
		expect(ids).toEqual(["1", "2", "3", "4", "5"]);
	});
});
