import { setTimeout as sleep } from "node:timers/promises";
import { type Static, Type } from "@sinclair/typebox";
import { closest } from "fastest-levenshtein";
import { invalid } from "../lib/resort-error.ts";
import { Nullable, OptionalField, Text, Uuid } from "../resort/schemas.ts";

/** The maximum number of armed faults. */
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

/** An armed fault. If it has neither `status` nor `drop`, it only delays calls. */
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
		/** The number of further calls that the fault affects; null: all until it is cleared. */
		left: Nullable(Type.Integer()),
	},
	{ title: "Fault" },
);
export type Fault = Static<typeof Fault>;

/** The parts of a call by which faults select it. */
export interface FaultTarget {
	readonly operation: { readonly id: string };
	readonly params: Readonly<Record<string, string>>;
	readonly query: Readonly<Record<string, string>>;
}

/** The abort reason that cancels a delayed call. */
const DROPPED = "dropped";

/** The faults of an instance, kept in memory. */
export class FaultInjector {
	/** The ids of the operations that support faults. */
	operationIds: readonly string[] = [];
	/** Closes the idle connections of the server. */
	closeIdleConnections = () => {};
	/** The armed faults, oldest first. */
	armed: readonly Fault[] = [];
	#lastId = 0;
	/** Cancels the delayed calls. */
	#ending = new AbortController();

	/** Whether an armed fault closes connections. */
	get willDrop(): boolean {
		return this.armed.some(({ drop }) => drop);
	}

	/**
	 * @throws ResortError `invalid` if no operation that supports faults has this id; the hint names the most similar id
	 */
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
		// HTTP clients retry a failed read on a reused connection silently, so the test would not see the failure.
		if (fault.drop) this.closeIdleConnections();
		return fault;
	}

	/** Disarms all faults. */
	clear(): void {
		this.armed = [];
	}

	/**
	 * Disarms all faults, restarts their ids, and cancels delayed calls, which would otherwise change the state of the
	 * next test.
	 */
	reset(): void {
		this.clear();
		this.#lastId = 0;
		this.#ending.abort(DROPPED);
		this.#ending = new AbortController();
	}

	/** Returns the oldest fault that affects a call and counts the call, or returns null. */
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
	 * @param signal ends the delay; aborted when the client disconnects
	 * @returns whether to run the call; false if the client has disconnected or a reset has cancelled the call
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
