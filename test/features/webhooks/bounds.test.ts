import { afterEach, beforeEach, expect, test } from "bun:test";
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
	/** The number of messages that have arrived. */
	arrived = 0;
	/** The number of messages that wait for a response. */
	running = 0;
	/** The highest value of `running`. */
	most = 0;
	holds = true;
	readonly #held: (() => void)[] = [];

	async resolve() {
		return ["127.0.0.1"];
	}

	async send({ body }: OutgoingRequest) {
		const answer = { status: 204, retryAfter: null };
		if (body.includes("webhook.ping")) return answer;
		this.arrived++;
		this.most = Math.max(this.most, ++this.running);
		if (this.holds) await new Promise<void>((go) => this.#held.push(go));
		this.running--;
		return answer;
	}

	async release(): Promise<void> {
		for (const go of this.#held.splice(0)) go();
		await Bun.sleep(20);
	}

	/** Waits until `count` messages are unanswered, and expects that this number does not grow. */
	async runs(count: number): Promise<void> {
		await until(() => this.running >= count);
		await Bun.sleep(50);
		expect(this.running).toBe(count);
	}
}

let network: Held;
let context: TestResort;
let owner: Registered;
beforeEach(() => {
	network = new Held();
});
afterEach(async () => {
	network.holds = false;
	await network.release();
	await context.close();
});

async function open(options: Partial<WebhookOptions> = {}): Promise<void> {
	context = new TestResort({ webhooks: { ...toLoopback, network, ...options } });
	context.sender?.start();
	owner = await context.register();
}

/** Creates webhooks by calls from the address `peer`: five for each agent, each with another host name. */
async function subscribeFrom(peer: string, count: number): Promise<void> {
	let agent = owner;
	for (let at = 0; at < count; at++) {
		if (at % 5 === 0) agent = await context.register();
		const url = `http://${at}.${peer.replaceAll(":", "-")}.test/`;
		await subscribe(context, agent, { url }, { peer });
	}
}

test("POST /api/webhooks returns 503 if its ping must wait too long for other deliveries", async () => {
	await open({ attemptMs: 50 });
	const peer = "192.0.2.1";
	await subscribeFrom(peer, 16);
	await context.checkInOrOut(owner);
	await network.runs(16);
	const ask = { key: owner.key, body: { url: "http://other.test/" }, peer };
	const { status, headers } = await context.call("POST", "/api/webhooks", ask);
	expect([status, headers.get("retry-after")]).toEqual([503, "15"]);
});

test("at most 200 deliveries run at a time, and at most 160 for webhooks from one /48 network", async () => {
	await open();
	for (let at = 1; at <= 12; at++) await subscribeFrom(`2001:db8:1:${at}00::1`, 17);
	await context.checkInOrOut(owner);
	await network.runs(160);
	for (let at = 1; at <= 3; at++) await subscribeFrom(`192.0.2.${at}`, 17);
	await context.checkInOrOut(owner);
	await network.runs(200);
	while (network.arrived < 459) await network.release();
	await network.release();
	expect(network.most).toBe(200);
	await written(context, 459);
});
