import { MINUTE_MS, SECOND_MS } from "../../src/core/lib/clock.ts";
import { createApiKey } from "../../src/core/lib/credential.ts";
import type { Operation } from "../../src/core/resort/operation.ts";
import { createWebhookSecret } from "../../src/features/webhooks/webhook-message.ts";
import type { Body } from "../../test/support/body.ts";
import type { Answered, CallOptions } from "../../test/support/calls.ts";
import type { TestResort } from "../../test/support/resort.ts";

/** What was sent and answered: by the id of the operation, then `request` or the status of the answer. */
export type Recorded = Record<string, Record<string, unknown>>;

/** An agent of the scenario. */
export interface Guest {
	readonly id: string;
	readonly key: string;
}

/** How an operation is called. */
export interface Asked extends Omit<CallOptions, "key"> {
	readonly as?: Guest;
	/** The id in the path. */
	readonly id?: string;
	/** The second one. */
	readonly deliveryId?: string;
	/** From `?` on. */
	readonly query?: string;
}

/** Longer lists of objects are cut; the lists of `next` and `start` are whole. */
const WHOLE = 3;
const SHOWN = 2;

/** A key with a right checksum that nobody mistakes for a real one. */
const EXAMPLE_KEY = createApiKey({
	bytes: (length) => new Uint8Array(length).fill(59),
	below: () => 0,
	uuid: () => "",
}).apiKey;

/** The same for the secret of a webhook. */
const EXAMPLE_SECRET = createWebhookSecret({
	bytes: (length) => new Uint8Array(length).fill(59),
	below: () => 0,
	uuid: () => "",
});

/** Calls the operations of a resort by their ids, and keeps what is sent and answered. */
export class Recorder {
	readonly recorded: Recorded = {};
	/** The time from one call to the next. */
	stepMs = SECOND_MS;

	/** @param replacements what is written instead of a text that differs at each run, such as an address */
	constructor(
		readonly context: TestResort,
		readonly replacements: readonly (readonly [from: string, to: string])[],
	) {}

	/** Calls an operation after a step of time. */
	ask(operationId: string, asked: Asked = {}): Promise<Answered> {
		const { as, id = "", deliveryId = "msg_unknown", query = "", ...rest } = asked;
		const { method, path, isLocal } = this.operation(operationId);
		this.context.advance(this.stepMs);
		const target = path.replace(":id", id).replace(":deliveryId", deliveryId);
		return this.context.call(method, target + query, {
			...rest,
			// The test controls are there for this machine alone.
			...(isLocal && { headers: { host: "127.0.0.1", ...rest.headers } }),
			...(as && { key: as.key }),
		});
	}

	/**
	 * Calls an operation a minute later and keeps the answer; of a success the request's body too.
	 * @throws Error when the status is another one
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

	/** Keeps an answer, unless it is a document and not JSON that a schema describes. */
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

	/** Whether there is an answer of this status. */
	has(operationId: string, status: number): boolean {
		return this.recorded[operationId]?.[status] !== undefined;
	}

	/** @throws Error when there is no such operation */
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
