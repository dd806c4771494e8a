import { setTimeout as sleep } from "node:timers/promises";
import { type Static, Type } from "@sinclair/typebox";
import { closest } from "fastest-levenshtein";
import { invalid } from "../lib/resort-error.ts";
import { Nullable, OptionalField, Text, Uuid } from "../resort/schemas.ts";

/** The most faults that are armed at a time. */
export const MAX_FAULTS = 1_000;

const MAX_IDS = 100;

/** The body of POST /test/faults. */
export const ArmFaultBody = Type.Object(
	{
		operation: Text(1, 100),
		status: OptionalField(Type.Integer({ minimum: 400, maximum: 599 })),
		error: OptionalField(Text(1, 500)),
		retryAfterSeconds: OptionalField(
			Type.Integer({ minimum: 0, maximum: 86_400 }),
		),
		delayMs: OptionalField(Type.Integer({ minimum: 0, maximum: 60_000 })),
		drop: OptionalField(Type.Boolean({ description: "true or false" })),
		times: OptionalField(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
		ids: OptionalField(
			Type.Array(Uuid, {
				minItems: 1,
				maxItems: MAX_IDS,
				description: `a list of 1 to ${MAX_IDS} agents' ids`,
			}),
		),
	},
	{ title: "ArmFault" },
);
export type ArmFaultBody = Static<typeof ArmFaultBody>;

/** An armed fault. Without `status` and `drop`, it only delays. */
export const Fault = Type.Object(
	{
		id: Type.String(),
		operation: Type.String(),
		status: Nullable(Type.Integer()),
		error: Nullable(Type.String()),
		retryAfterSeconds: Nullable(Type.Integer()),
		delayMs: Type.Integer(),
		drop: Type.Boolean(),
		ids: Nullable(Type.Array(Type.String())),
		/** The number of calls that it still affects; null for all until it is cleared. */
		left: Nullable(Type.Integer()),
	},
	{ title: "Fault" },
);
export type Fault = Static<typeof Fault>;

/** The parts of a call that decide whether a fault affects it. */
export interface FaultTarget {
	readonly operation: { readonly id: string };
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
}

/** The reason that ends a delay without running the call. */
const DROPPED = "dropped";

/** The faults of an instance, in memory. */
export class FaultInjector {
	/** The ids of the operations that can fail. */
	operationIds: readonly string[] = [];
	/** Closes the idle connections of the server. */
	closeIdleConnections = () => {};
	/** The armed faults, the oldest first. */
	armed: readonly Fault[] = [];
	#lastId = 0;
	/** Ends the delays of calls. */
	#ending = new AbortController();

	/** Whether a fault is armed that closes connections. */
	get willDrop(): boolean {
		return this.armed.some(({ drop }) => drop);
	}

	/** @throws ResortError `invalid` that names the nearest id when no operation that can fail has this one */
	requireOperation(id: string): void {
		if (this.operationIds.includes(id)) return;
		const nearest = closest(id, this.operationIds);
		throw invalid("operation is not an operation id", {
			field: "operation",
			hint: `The nearest is ${nearest}; /openapi.json lists them as operationId. Those under /test are left out.`,
		});
	}

	/**
	 * Arms a fault.
	 * @throws ResortError `invalid` for an unknown operation, fields that contradict each other, or too many faults
	 */
	arm(body: ArmFaultBody): Fault {
		this.requireOperation(body.operation);
		requireConsistent(body);
		if (this.armed.length >= MAX_FAULTS) {
			throw invalid(`At most ${MAX_FAULTS} faults can be armed at a time`, {
				hint: "DELETE /test/faults clears them.",
			});
		}
		const { operation, times, ids } = body;
		const { status = null, error = null, retryAfterSeconds = null } = body;
		const fault: Fault = {
			id: String(++this.#lastId),
			...{ operation, status, error, retryAfterSeconds },
			delayMs: body.delayMs ?? 0,
			drop: body.drop ?? false,
			ids: ids?.map((id) => id.toLowerCase()) ?? null,
			left: times === 0 ? null : (times ?? 1),
		};
		this.armed = [...this.armed, fault];
		// HTTP clients silently retry a read that fails on a reused connection, so the test would see no failure.
		if (fault.drop) this.closeIdleConnections();
		return fault;
	}

	/** Disarms all faults. */
	clear(): void {
		this.armed = [];
	}

	/** Disarms all faults, restarts their ids, and drops delayed calls, which would change the next test's state. */
	reset(): void {
		this.clear();
		this.#lastId = 0;
		this.#ending.abort(DROPPED);
		this.#ending = new AbortController();
	}

	/** Returns the oldest fault that affects a call, and counts the call; null for none. */
	take(call: FaultTarget): Fault | null {
		const fault = this.armed.find((one) => affects(one, call));
		if (fault === undefined) return null;
		if (fault.left === null) return fault;
		const taken = { ...fault, left: fault.left - 1 };
		this.armed = this.armed
			.map((one) => (one === fault ? taken : one))
			.filter(({ left }) => left !== 0);
		return taken;
	}

	/**
	 * Delays a call.
	 * @param signal aborted when the caller disconnects, which ends the delay
	 * @returns whether to run the call: neither its caller has disconnected nor a reset has dropped it
	 */
	async delay(delayMs: number, signal: AbortSignal): Promise<boolean> {
		const ending = this.#ending.signal;
		const either = AbortSignal.any([signal, ending]);
		await sleep(delayMs, null, { signal: either }).catch(() => {});
		return !signal.aborted && ending.reason !== DROPPED;
	}

	/** Disarms all faults and ends all delays. */
	end(): void {
		this.clear();
		this.#ending.abort();
	}
}

function requireConsistent(body: ArmFaultBody): void {
	const { status, error, retryAfterSeconds, delayMs, drop } = body;
	if (status == null && !drop && delayMs == null) {
		throw invalid("Give status, drop or delayMs");
	}
	if (status != null && drop) {
		throw invalid("Give either status or drop", {
			field: "drop",
		});
	}
	if (status != null || (error ?? retryAfterSeconds) == null) return;
	const field = error == null ? "retryAfterSeconds" : "error";
	throw invalid(`${field} requires status`, { field });
}

function affects({ operation, ids }: Fault, call: FaultTarget): boolean {
	if (operation !== call.operation.id) return false;
	if (ids === null) return true;
	const inQuery = call.query.ids?.split(",") ?? [];
	return [...Object.values(call.params), ...inQuery].some((id) =>
		ids.includes(id.trim().toLowerCase()),
	);
}
