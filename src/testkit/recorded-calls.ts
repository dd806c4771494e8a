import { type Static, Type } from "@sinclair/typebox";
import { copyOf } from "../lib/text.ts";
import { Nullable, Timestamp } from "../resort/schemas.ts";
import { maskPath, maskQuery, maskRequestId } from "./mask-secrets.ts";

/** The number of calls that are kept. */
export const MAX_CALLS = 10_000;

/** The longest path and query that are kept, in characters: a hundred ids need 3,700. */
export const MAX_PATH = 256;
export const MAX_QUERY = 4_096;

/** A recorded call. */
export const RecordedCall = Type.Object(
	{
		/** Null for an unknown path. */
		operation: Nullable(Type.String()),
		method: Type.String(),
		path: Type.String(),
		/** Without its question mark. */
		query: Type.String(),
		/** Null when nobody was authenticated. */
		agentId: Nullable(Type.String()),
		/** Null when the connection was closed without a response, by a fault or by the caller. */
		status: Nullable(Type.Integer()),
		at: Timestamp,
		requestId: Type.String(),
		/** The id of the fault that affected it. */
		fault: Nullable(Type.String()),
	},
	{ title: "Call" },
);
export type RecordedCall = Static<typeof RecordedCall>;

/** Records the newest calls of an instance, in memory, since the start or the last reset. */
export class CallRecorder {
	/** In the order in which they ended. */
	#calls: { readonly call: RecordedCall; readonly startedAt: number }[] = [];
	/** Calls that began before this value of `performance.now()` belong to an earlier test. */
	#since = 0;

	/**
	 * Records a call with its credentials masked.
	 * @param startedAt when it began, by `performance.now()`
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

	/** Lists the calls, those that began last first. */
	list(): RecordedCall[] {
		return this.#calls
			.toReversed()
			.sort((a, b) => b.startedAt - a.startedAt)
			.map(({ call }) => call);
	}

	/** Removes all calls; those still in progress are not recorded either. */
	clear(): void {
		this.#calls = [];
		this.#since = performance.now();
	}
}
