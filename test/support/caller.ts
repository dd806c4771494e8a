import { expect } from "bun:test";
import type { Limit, Operation } from "./operations.ts";
import { pathOf } from "./operations.ts";
import type { Answered, Ask, TestResort } from "./resort.ts";

let addresses = 0;

/** An IPv4 address that no other test has used. */
export function newAddress(): string {
	const number = addresses++;
	return `198.18.${number >> 8}.${number & 255}`;
}

/** An agent that calls operations, from an address of its own. */
export class Caller {
	private constructor(
		readonly resort: TestResort,
		readonly id: string,
		public key: string,
		readonly address: string,
	) {}

	/** Registers an agent; its address has asked for nothing yet. */
	static async create(resort: TestResort): Promise<Caller> {
		const { status, body } = await resort.ask("POST", "/api/agents", {
			body: { name: "Ada" },
			peer: newAddress(),
		});
		if (status !== 201) throw new Error(JSON.stringify(body));
		return new Caller(resort, body.agent.id, body.apiKey, newAddress());
	}

	/** Calls an operation with its credential and a good body, unless the request says otherwise. */
	async call(operation: Operation, ask: Ask = {}): Promise<Answered> {
		const { method, body, credential } = operation;
		// A check-out that is refused gives its place back.
		if (operation.path === "/api/checkout") await this.#enter();
		const answered = await this.resort.ask(method, pathOf(operation), {
			...(ask.raw === undefined && body && { body: body.good }),
			...(credential !== "none" && { key: this.key }),
			peer: this.address,
			...ask,
		});
		if (operation.path === "/api/me/api-key" && answered.status === 201) {
			this.key = answered.body.apiKey;
		}
		return answered;
	}

	/** Begins a stay past the limit of check-ins, unless one is open. */
	async #enter(): Promise<void> {
		await this.resort.rows(
			`INSERT INTO stays (id, agent_id, room_type, room_number, checked_in_at)
			VALUES ('${crypto.randomUUID()}', '${this.id}', 'Oasis Tent', 1, 1) ON CONFLICT DO NOTHING`,
		);
	}

	/** Calls an operation until its limit, and holds that every call was admitted. */
	async exhaust(operation: Operation & { limit: Limit }): Promise<void> {
		for (let call = 0; call < operation.limit.count; call++) {
			const { status, text } = await this.call(operation);
			expect(status, `call ${call + 1}: ${text}`).not.toBe(429);
		}
	}
}

/**
 * Holds that an operation answers a request as it answers one with its good body, but for what it ignored.
 */
export async function expectRead(resort: TestResort, operation: Operation, ask: Ask): Promise<void> {
	const good = await (await Caller.create(resort)).call(operation);
	const other = await (await Caller.create(resort)).call(operation, ask);
	expect(other.status, other.text).toBe(good.status);
	const { ignored, ...read } = other.body;
	expect(Object.keys(read)).toEqual(Object.keys(good.body));
	expect(ignored).not.toEqual([]);
}
