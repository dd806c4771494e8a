import { type Static, Type } from "@sinclair/typebox";
import { originalRequest } from "../../core/http/received-request.ts";
import type { RequestObserver } from "../../core/http/send-response.ts";
import { toTimestamp } from "../../core/lib/clock.ts";
import { copyOf } from "../../core/lib/text.ts";
import { Nullable, Timestamp } from "../../core/resort/schemas.ts";
import { maskPath, maskQuery, maskRequestId } from "./mask-secrets.ts";

/** The maximum number of recorded calls. */
const MAX_CALLS = 10_000;

/** The maximum lengths of a recorded path and query, in characters. A query with a hundred ids has 3,700. */
const MAX_PATH = 256;
const MAX_QUERY = 4_096;

/** A recorded call. */
export const RecordedCall = Type.Object(
	{
		/** Null if the path is unknown. */
		operation: Nullable(Type.String()),
		method: Type.String(),
		path: Type.String(),
		/** The query without its question mark. */
		query: Type.String(),
		/** Null if no agent was authenticated. */
		agentId: Nullable(Type.String()),
		/** Null if a fault or the client closed the connection before the response. */
		status: Nullable(Type.Integer()),
		at: Timestamp,
		requestId: Type.String(),
		/** The id of the fault that affected the call. */
		fault: Nullable(Type.String()),
	},
	{ title: "Call" },
);
export type RecordedCall = Static<typeof RecordedCall>;

/**
 * Records the calls of an instance in memory, since the start or the last reset. When there are more than
 * {@link MAX_CALLS}, the call that ended first is dropped.
 */
export class CallRecorder {
	/** The calls in the order in which they ended. */
	#calls: { readonly call: RecordedCall; readonly startedAt: number }[] = [];
	/** Calls that began before this value of `performance.now()` belong to an earlier test. */
	#since = 0;

	/** Records a completed request. */
	readonly observe: RequestObserver = (completed, request) => {
		const { method, operationId, agentId, status, requestId, fault, startedAt, atMs, isDropped } = completed;
		const target = request.url.slice(request.url.indexOf("/", "https://".length));
		const [path = "", ...search] = target.split("?");
		const isUnanswered = isDropped || originalRequest(request).signal.aborted;
		this.add(
			{
				operation: operationId,
				method,
				path,
				agentId,
				requestId,
				query: search.join("?"),
				status: isUnanswered ? null : status,
				at: toTimestamp(atMs),
				fault: fault?.id ?? null,
			},
			startedAt,
		);
	};

	/**
	 * Records a call. Credentials are masked.
	 * @param startedAt when the call began, by `performance.now()`
	 */
	add(call: RecordedCall, startedAt: number): void {
		if (/^\/test(\/|$)/.test(call.path) || startedAt < this.#since) return;
		const masked = {
			...call,
			path: copyOf(maskPath(call.path).slice(0, MAX_PATH)),
			query: copyOf(maskQuery(call.query).slice(0, MAX_QUERY)),
			requestId: maskRequestId(call.requestId),
		};
		this.#calls.push({ call: masked, startedAt });
		if (this.#calls.length > MAX_CALLS) this.#calls.shift();
	}

	/** Returns the calls. The call that started last is first. */
	list(): RecordedCall[] {
		return this.#calls
			.toReversed()
			.sort((a, b) => b.startedAt - a.startedAt)
			.map(({ call }) => call);
	}

	/** Removes all calls. Calls that are still running will not be recorded either. */
	clear(): void {
		this.#calls = [];
		this.#since = performance.now();
	}
}
