import { SECOND_MS } from "../../src/lib/clock.ts";
import { type Limit, limited, nameOf } from "../support/operations.ts";
import type { Call } from "./call.ts";

/** The limits of the contract, and that of key rotation. */
export const limits = new Map(
	limited.map((operation) => [nameOf(operation), operation.limit]),
);

/** What the limiter says of a call. */
export interface Verdict extends Limit {
	readonly admitted: boolean;
	readonly remaining: number;
	readonly retryAfterSeconds: number;
}

/** Addresses to call from, and what the limiter knows each by. */
export const peers = new Map([
	["192.0.2.1", "192.0.2.1"],
	["::ffff:192.0.2.1", "192.0.2.1"],
	["192.0.2.2", "192.0.2.2"],
	["2001:db8:0:1::1", "2001:db8:0:1"],
	["2001:db8:0:1:ffff::2", "2001:db8:0:1"],
	["2001:db8:0:2::1", "2001:db8:0:2"],
]);

/** The sliding windows of the limits: docs/decisions.md, "Limits and addresses". */
export class Limits {
	readonly #admitted = new Map<string, number[]>();

	admit(call: Call, agentId: string, nowMs: number): Verdict | null {
		const limit = limits.get(call.operation);
		if (limit === undefined) return null;
		const { count, windowMs, by } = limit;
		const who = by === "agent" ? agentId : peers.get(call.peer);
		const key = `${call.operation} ${who}`;
		const times = (this.#admitted.get(key) ?? []).filter(
			(time) => nowMs - time < windowMs,
		);
		const admitted = times.length < count;
		if (admitted) times.push(nowMs);
		this.#admitted.set(key, times);
		const waitMs = (times[0] ?? nowMs) + windowMs - nowMs;
		return {
			...limit,
			admitted,
			remaining: count - times.length,
			retryAfterSeconds: Math.max(1, Math.ceil(waitMs / SECOND_MS)),
		};
	}

	refund(operation: string, agentId: string): void {
		this.#admitted.get(`${operation} ${agentId}`)?.pop();
	}

	admissions(): { operation: string; who: string; atMs: number }[] {
		return [...this.#admitted].flatMap(([key, [oldest = 0, ...more]]) => {
			const [method, path, who = ""] = key.split(" ");
			const operation = `${method} ${path}`;
			const limit = limits.get(operation);
			return more.length + 1 === limit?.count
				? [{ operation, who, atMs: oldest + limit.windowMs }]
				: [];
		});
	}
}
