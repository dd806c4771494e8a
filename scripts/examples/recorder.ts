import { MINUTE_MS, SECOND_MS } from "../../src/core/lib/clock.ts";
import { createApiKey } from "../../src/core/lib/credential.ts";
import type { Operation } from "../../src/core/resort/operation.ts";
import { createWebhookSecret } from "../../src/features/webhooks/webhook-message.ts";
import type { Body } from "../../test/support/body.ts";
import type { Answered, CallOptions } from "../../test/support/calls.ts";
import type { TestResort } from "../../test/support/resort.ts";

/** The recorded bodies by the id of the operation, and then by `request` or the status of the response. */
export type Recorded = Record<string, Record<string, unknown>>;

/** An agent of the recorded visit. */
export interface Guest {
	readonly id: string;
	readonly key: string;
}

/** How an operation is called. */
export interface Asked extends Omit<CallOptions, "key"> {
	readonly as?: Guest;
	/** The id in the path. */
	readonly id?: string;
	/** The id of a delivery, which is the second id in the path. */
	readonly deliveryId?: string;
	/** The query with its `?`. */
	readonly query?: string;
}

/** The maximum length of a list of objects that is recorded completely, such as `next` and `start`. */
const WHOLE = 3;
/** The number of objects that are recorded of a longer list. */
const SHOWN = 2;

/** A key with a valid checksum that nobody mistakes for a real key. It replaces all recorded keys. */
const EXAMPLE_KEY = createApiKey({
	bytes: (length) => new Uint8Array(length).fill(59),
	below: () => 0,
	uuid: () => "",
}).apiKey;

/** The secret that replaces all recorded secrets of webhooks. */
const EXAMPLE_SECRET = createWebhookSecret({
	bytes: (length) => new Uint8Array(length).fill(59),
	below: () => 0,
	uuid: () => "",
});

/** Calls the operations of a resort by their ids, and records the bodies of requests and responses. */
export class Recorder {
	readonly recorded: Recorded = {};
	/** The time by which the clock advances before each call. */
	stepMs = SECOND_MS;

	/**
	 * @param replacements texts that differ at each run, such as an address, and the text to record for each
	 */
	constructor(
		readonly context: TestResort,
		readonly replacements: readonly (readonly [from: string, to: string])[],
	) {}

	/** Advances the clock by {@link stepMs}, and calls an operation. */
	ask(operationId: string, asked: Asked = {}): Promise<Answered> {
		const { as, id = "", deliveryId = "msg_unknown", query = "", ...rest } = asked;
		const { method, path, isLocal } = this.operation(operationId);
		this.context.advance(this.stepMs);
		const target = path.replace(":id", id).replace(":deliveryId", deliveryId);
		return this.context.call(method, target + query, {
			...rest,
			// The test controls accept only calls from this machine.
			...(isLocal && { headers: { host: "127.0.0.1", ...rest.headers } }),
			...(as && { key: as.key }),
		});
	}

	/**
	 * Advances the clock by a minute, calls an operation, and records the response. After a success, records
	 * the body of the request, too.
	 * @throws Error if the response has another status
	 */
	async take(operationId: string, status: number, asked: Asked = {}): Promise<Body> {
		this.context.advance(MINUTE_MS);
		const answered = await this.ask(operationId, asked);
		if (answered.status !== status) {
			throw new Error(`${operationId}: not ${status}: ${answered.text}`);
		}
		this.keep(operationId, answered, asked);
		return answered.body;
	}

	/** Records a response, unless it is a document, which no JSON schema describes. */
	keep(operationId: string, { status, body }: Answered, asked: Asked = {}) {
		const { answers } = this.operation(operationId);
		if (answers[status]?.type === "string") return;
		const isRequestKept = status < 400 && asked.body !== undefined;
		this.recorded[operationId] = {
			...this.recorded[operationId],
			...(isRequestKept && { request: this.#example(asked.body) }),
			[status]: this.#example(body),
		};
	}

	/** Returns whether a response with this status was recorded. */
	has(operationId: string, status: number): boolean {
		return this.recorded[operationId]?.[status] !== undefined;
	}

	/** Returns the operation with an id. @throws Error if there is none */
	operation(id: string): Operation {
		const found = this.context.operations.find((one) => one.id === id);
		if (found === undefined) throw new Error(`no operation ${id}`);
		return found;
	}

	#example(value: unknown): unknown {
		const text = this.replacements.reduce(
			(all, [from, to]) => all.replaceAll(from, to),
			JSON.stringify(value),
		);
		return JSON.parse(
			text
				.replace(/\bar_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}\b/g, EXAMPLE_KEY)
				.replace(/\bwhsec_[0-9A-Za-z+/]{43}=/g, EXAMPLE_SECRET),
			(_, part) => (isLong(part) ? part.slice(0, SHOWN) : part),
		);
	}
}

function isLong(value: unknown): value is object[] {
	return Array.isArray(value) && value.length > WHOLE && value.every((one) => typeof one === "object");
}
