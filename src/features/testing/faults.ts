import { setTimeout as sleep } from "node:timers/promises";
import { type Static, Type } from "@sinclair/typebox";
import { distance } from "fastest-levenshtein";
import { type Answer, failureAnswer, WrittenBody } from "../../core/calls/answer.ts";
import type { Call } from "../../core/calls/call.ts";
import { SECOND_MS } from "../../core/lib/clock.ts";
import { call, hint } from "../../core/lib/hint.ts";
import { invalid } from "../../core/lib/resort-error.ts";
import { MAX_IDS } from "../../core/resort/presence/model.ts";
import {
	CheckedText,
	Lines,
	mustBe,
	Nullable,
	OptionalField,
	Text,
	Uuid,
} from "../../core/resort/schemas.ts";

const MAX_FAULTS = 1_000;

/** The maximum length of a response body, in characters. */
const MAX_BODY = 16_384;

/** The default `Content-Type` of a body. It is HTML, because a failing proxy usually returns a page. */
const USUAL_TYPE = "text/html; charset=utf-8";

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+( ?; ?[\w-]+=[\w.-]+)*$/;

/** The name that stands for all operations. */
const ALL = "*";

/** The time by which the idle timeout of a connection exceeds the delay of its call. */
const SPARE_SECONDS = 15;

const MAX_NEAREST = 3;

/** The body of POST /test/faults. */
export const ArmFaultBody = Type.Object(
	{
		operation: Text(1, 100),
		status: OptionalField(Type.Integer({ minimum: 400, maximum: 599 })),
		error: OptionalField(Text(1, 500)),
		body: OptionalField(Lines(0, MAX_BODY)),
		contentType: OptionalField(
			CheckedText("a media type such as text/html; charset=utf-8", (text) => MEDIA_TYPE.test(text)),
		),
		retryAfterSeconds: OptionalField(Type.Integer({ minimum: 0, maximum: 86_400 })),
		delayMs: OptionalField(Type.Integer({ minimum: 0, maximum: 60_000 })),
		drop: OptionalField(Type.Boolean(mustBe("true or false"))),
		times: OptionalField(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
		ids: OptionalField(
			Type.Array(Uuid, { minItems: 1, maxItems: MAX_IDS, ...mustBe(`a list of 1 to ${MAX_IDS} agent ids`) }),
		),
	},
	{ title: "ArmFault" },
);
export type ArmFaultBody = Static<typeof ArmFaultBody>;

/** An armed fault. Without `status` and `drop`, it only delays calls. */
export const Fault = Type.Object(
	{
		id: Type.String(),
		operation: Type.String(),
		status: Nullable(Type.Integer()),
		error: Nullable(Type.String()),
		body: Nullable(Type.String()),
		contentType: Nullable(Type.String()),
		retryAfterSeconds: Nullable(Type.Integer()),
		delayMs: Type.Integer(),
		drop: Type.Boolean(),
		ids: Nullable(Type.Array(Type.String())),
		/** The number of further calls that the fault affects; null if it affects all until it is cleared. */
		left: Nullable(Type.Integer()),
	},
	{ title: "Fault" },
);
export type Fault = Static<typeof Fault>;

interface ArmedFault extends Fault {
	readonly operationIds: ReadonlySet<string>;
}

/** The abort reason that prevents delayed calls from running. With any other reason, they run at once. */
const DROPPED = "dropped";

/** The faults of an instance, kept in memory. */
export class FaultInjector {
	/** The operations for which faults can be armed. */
	operations: readonly Readonly<Record<"id" | "method" | "path", string>>[] = [];
	/** The armed faults, oldest first. */
	armed: readonly ArmedFault[] = [];
	#lastId = 0;
	/** Ends the delays of all delayed calls when it is aborted. */
	#ending = new AbortController();

	/**
	 * Returns the ids of the operations that a name selects: an id, a method and path, or `*` for all.
	 * @throws ResortError `invalid` if the name selects none; its hint suggests the most similar ones
	 */
	idsOf(name: string): ReadonlySet<string> {
		const known = this.operations.map(({ id, method, path }) => ({ id, call: toCall(`${method} ${path}`) }));
		const matching = known.filter(({ id, call }) => name === ALL || name === id || toCall(name) === call);
		if (matching.length > 0) return new Set(matching.map(({ id }) => id));
		const typosIn = (one: string) => distance(name.toLowerCase(), one.toLowerCase());
		const nearest = known
			.map(({ id, call }) => ({ shown: `${id} (${call})`, typos: Math.min(typosIn(id), typosIn(call)) }))
			.toSorted((one, other) => one.typos - other.typos)
			.slice(0, MAX_NEAREST)
			.map(({ shown }) => shown);
		throw invalid("operation must be an operation id, a method and path, or *", {
			field: "operation",
			hint: `The nearest are ${nearest.join(", ")}. /openapi.json lists all; those under /test are not accepted.`,
		});
	}

	/**
	 * Arms a fault.
	 * @throws ResortError `invalid` for an unknown operation, fields that contradict each other, or too many
	 * faults
	 */
	arm(body: ArmFaultBody): Fault {
		const operationIds = this.idsOf(body.operation);
		requireConsistent(body);
		if (this.armed.length >= MAX_FAULTS) {
			throw invalid(`At most ${MAX_FAULTS} faults can be armed at a time`, {
				hint: hint`${call("DELETE /test/faults")} clears them.`,
			});
		}
		const { operation, times, ids, status = null, error = null, retryAfterSeconds = null } = body;
		const text = body.body ?? null;
		const fault: ArmedFault = {
			id: String(++this.#lastId),
			operation,
			operationIds,
			status,
			error,
			retryAfterSeconds,
			body: text,
			contentType: text === null ? null : (body.contentType ?? USUAL_TYPE),
			delayMs: body.delayMs ?? 0,
			drop: body.drop ?? false,
			ids: ids?.map((id) => id.toLowerCase()) ?? null,
			left: times === 0 ? null : (times ?? 1),
		};
		this.armed = [...this.armed, fault];
		return fault;
	}

	clear(): void {
		this.armed = [];
	}

	/** Disarms all faults, restarts their ids, and drops delayed calls, so that they change nothing later. */
	reset(): void {
		this.clear();
		this.#lastId = 0;
		this.#ending.abort(DROPPED);
		this.#ending = new AbortController();
	}

	/**
	 * Applies the fault that is armed for a call, if there is one. Resolves after the delay of the fault. Sets
	 * `call.record.isDropped` if the transport must close the connection instead of sending the answer.
	 * @returns the answer if the operation must not run; else null
	 */
	async inject(call: Call): Promise<Answer | null> {
		const { connection, record } = call;
		const fault = this.#take(call);
		if (fault === null) return null;
		record.fault = fault;
		const { delayMs, status, drop } = fault;
		let isCancelled = false;
		if (delayMs > 0) {
			connection.setTimeout(Math.ceil(delayMs / SECOND_MS) + SPARE_SECONDS);
			isCancelled = !(await this.#delay(delayMs, connection.signal));
		}
		record.isDropped = drop || isCancelled;
		return record.isDropped || status !== null ? answerOf(fault) : null;
	}

	/** Returns the oldest fault that affects a call, and counts the call; null if there is none. */
	#take(call: Call): Fault | null {
		const fault = this.armed.find((one) => affects(one, call));
		if (fault === undefined) return null;
		if (fault.left === null) return fault;
		const taken = { ...fault, left: fault.left - 1 };
		this.armed = this.armed.map((one) => (one === fault ? taken : one)).filter(({ left }) => left !== 0);
		return taken;
	}

	/** Waits for a delay. Returns false if the client has disconnected, or a reset has dropped the call. */
	async #delay(delayMs: number, signal: AbortSignal): Promise<boolean> {
		const ending = this.#ending.signal;
		const either = AbortSignal.any([signal, ending]);
		await sleep(delayMs, null, { signal: either }).catch(() => {});
		return !signal.aborted && ending.reason !== DROPPED;
	}

	/** Disarms all faults and ends all delays. The delayed calls run at once. */
	end(): void {
		this.clear();
		this.#ending.abort();
	}
}

/** The error texts of faults that specify only a status. */
const faultErrors: Readonly<Record<number, string>> = {
	400: "Invalid request",
	401: "Unauthorized",
	403: "Forbidden",
	404: "Not found",
	413: "Body is too large",
	415: "Body is encoded",
	422: "Unprocessable content",
	429: "Rate limit exceeded",
	500: "Internal error",
	503: "Service unavailable",
};

function answerOf({ status, error, body, contentType, retryAfterSeconds }: Fault): Answer {
	const sent = status ?? 500;
	const headers: Record<string, string> = {};
	if (retryAfterSeconds !== null) headers["retry-after"] = String(retryAfterSeconds);
	if (body !== null) headers["content-type"] = contentType ?? "";
	const message = error ?? faultErrors[sent] ?? "Injected fault";
	const answer = failureAnswer(sent, headers, { error: null, body: { error: message } });
	return body === null ? answer : { ...answer, body: WrittenBody.of(body) };
}

function requireConsistent(fault: ArmFaultBody): void {
	const { status, error, body, contentType, delayMs, drop } = fault;
	const refuse = (message: string, field: keyof ArmFaultBody) => {
		throw invalid(message, { field });
	};
	if (status == null && !drop && delayMs == null) throw invalid("Set status, drop or delayMs");
	if (status != null && drop) refuse("Set either status or drop", "drop");
	if (error != null && body != null) refuse("Set either error or body", "body");
	if (contentType != null && body == null) refuse("contentType requires body", "contentType");
	if (status != null) return;
	for (const field of ["error", "body", "retryAfterSeconds"] as const) {
		if (fault[field] != null) refuse(`${field} requires status`, field);
	}
}

function affects({ operationIds, ids }: ArmedFault, call: Call) {
	if (!operationIds.has(call.operation.id)) return false;
	if (ids === null) return true;
	const inQuery = call.query.ids?.split(",") ?? [];
	return [...Object.values(call.params), ...inQuery].some((id) => ids.includes(id.trim().toLowerCase()));
}

/** Writes parameters as the documentation does: `{id}` instead of `:id`. */
function toCall(name: string): string {
	return name.replace(/:(\w+)/g, "{$1}");
}
