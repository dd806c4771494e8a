import { afterEach, beforeEach, expect } from "bun:test";
import { Webhook } from "standardwebhooks";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { type AddressRange, parseRange } from "../../../src/core/lib/ip-address.ts";
import type { EventInfo } from "../../../src/core/resort/events/model.ts";
import { systemNetwork, type WebhookOptions } from "../../../src/features/webhooks/delivery-attempt.ts";
import type { CallOptions, Registered } from "../../support/calls.ts";
import { TestResort } from "../../support/resort.ts";
import { until } from "../../support/until.ts";
import { useDisposable } from "../../support/use-disposable.ts";

/** A message that a receiver has received. */
export interface Received {
	/** The header field `webhook-id`. */
	readonly id: string;
	readonly headers: Record<string, string>;
	readonly text: string;
	readonly event: Omit<EventInfo, "type" | "id"> & { readonly type: string; readonly id: string | null };
}

type Answering = (message: Received) => Response | number | Promise<Response | number>;

/** The options of webhooks in tests: messages are sent only to this machine. */
export const toLoopback: WebhookOptions = {
	network: { ...systemNetwork(), resolve: async () => ["127.0.0.1"] },
	allowed: [parseRange("127.0.0.0/8") as AddressRange],
	chance: () => 0,
};

/** A server that receives the messages of webhooks. */
export class Receiver implements AsyncDisposable {
	/** All messages except pings. */
	readonly messages: Received[] = [];
	readonly pings: Received[] = [];
	/** Returns the response to a message. The first ping always gets the status 204 instead. */
	answer: Answering = () => 204;
	readonly #server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		idleTimeout: 60,
		fetch: (request) => this.#take(request),
	});

	/** @param host any name, because every name resolves to this machine in {@link toLoopback} */
	url(host = "hooks.test"): string {
		return `http://${host}:${this.#server.port}/in`;
	}

	/** The ids of the received events, in order. */
	get eventIds(): (string | null)[] {
		return this.messages.map(({ event }) => event.id);
	}

	get types(): string[] {
		return this.messages.map(({ event }) => event.type);
	}

	async has(count: number): Promise<void> {
		await until(() => this.messages.length >= count);
	}

	/** Checks the signature of every received message, as a receiver does. */
	verify(secret: string): void {
		const webhook = new Webhook(secret);
		for (const { text, headers } of [...this.messages]) {
			webhook.verify(text, headers);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#server.stop(true);
	}

	async #take(request: Request): Promise<Response> {
		const text = await request.text();
		const message: Received = {
			id: request.headers.get("webhook-id") ?? "",
			headers: request.headers.toJSON(),
			text,
			event: JSON.parse(text),
		};
		const isPing = message.event.type === "webhook.ping";
		const isFirst = isPing && this.pings.length === 0;
		(isPing ? this.pings : this.messages).push(message);
		const answer = isFirst ? 204 : await this.answer(message);
		return typeof answer === "number" ? new Response(null, { status: answer }) : answer;
	}
}

/** Calls POST /api/webhooks, from the address `peer` if one is given. Returns the webhook's id and secret. */
export async function subscribe(
	context: TestResort,
	{ key }: Registered,
	body: object,
	from: Pick<CallOptions, "peer"> = {},
): Promise<{ id: string; secret: string }> {
	const ask = { ...from, key, body };
	const answer = await context.call("POST", "/api/webhooks", ask);
	if (answer.status !== 201) throw new Error(answer.text);
	return { id: answer.body.webhook.id, secret: answer.body.secret };
}

/** Waits until the results of this number of attempts, of all deliveries together, have been stored. */
export async function written(context: TestResort, attempts: number): Promise<void> {
	await until(async () => {
		const [row] = await context.rows("SELECT coalesce(sum(attempt), 0) AS attempts FROM webhook_deliveries");
		return Number(row?.attempts) >= attempts;
	});
}

/** Opens a receiver for each test of the file, and closes it afterwards. */
export function useReceiver(): Receiver {
	return useDisposable(() => new Receiver());
}

/** A resort that sends webhooks, a guest and a receiver, all of which are new for each test. */
export class WebhookScene {
	context!: TestResort;
	owner!: Registered;
	receiver!: Receiver;

	/** @param webhooks returns the options that override {@link toLoopback}, for each test */
	constructor(webhooks: () => Partial<WebhookOptions> = () => ({})) {
		beforeEach(async () => {
			this.context = new TestResort({
				webhooks: { ...toLoopback, ...webhooks() },
				keepEventsMs: 30 * DAY_MS,
				testControls: true,
			});
			this.context.sender?.start();
			this.owner = await this.context.guest({ name: "Juniper" });
			this.receiver = new Receiver();
		});
		afterEach(async () => {
			await this.context.close();
			await this.receiver[Symbol.asyncDispose]();
		});
	}

	/** Creates a webhook that belongs to the guest, with the URL of the receiver. Returns its id and secret. */
	subscribe(body: object = {}) {
		const url = this.receiver.url();
		return subscribe(this.context, this.owner, { url, ...body });
	}

	/** Creates a webhook, and publishes an event. The receiver responds to its message with `status`. */
	async receive(status: number, body: object = {}, agent = this.owner) {
		const made = await this.subscribe(body);
		this.receiver.answer = () => status;
		await this.happen(agent);
		await this.written(1);
		return made;
	}

	happen(agent = this.owner) {
		return this.context.checkInOrOut(agent);
	}

	/** Waits until the results of this number of attempts have been stored. */
	written(attempts: number) {
		return written(this.context, attempts);
	}

	/** Publishes an event, and waits until the message for it was sent and the result has been stored. */
	async tried(): Promise<void> {
		await this.happen();
		await until(async () => {
			const [row] = await this.context.rows(
				"SELECT (SELECT max(id) FROM events) = max(event_id) AS is_newest, min(attempt) AS least FROM webhook_deliveries",
			);
			return Boolean(row?.is_newest) && Number(row?.least) > 0;
		});
	}

	/** Advances the clock, and waits long enough for the sender to start the retries that are due. */
	async pass(durationMs: number): Promise<void> {
		this.context.advance(durationMs);
		await Bun.sleep(40);
	}

	/** Calls an operation as the guest. */
	call(method: string, path: string, options: CallOptions = {}) {
		return this.context.call(method, path, { key: this.owner.key, ...options });
	}

	/** Waits long enough for further messages to arrive, and expects exactly `count` messages in all. */
	async hasOnly(count: number): Promise<void> {
		await Bun.sleep(30);
		expect(this.receiver.messages).toHaveLength(count);
	}

	async deliveries(id: string) {
		const { body } = await this.call("GET", `/api/webhooks/${id}/deliveries`);
		return body.deliveries;
	}

	async webhook(id: string) {
		return (await this.call("GET", `/api/webhooks/${id}`)).body.webhook;
	}
}
