import type { CallCredentials } from "../auth/authenticate.ts";
import type { NextCall } from "../content/next-calls.ts";
import type { ResortError } from "../lib/resort-error.ts";
import type { Operation } from "../resort/operation.ts";
import type { Fault } from "../testkit/faults.ts";
import type { ResponseBody } from "./response-body.ts";

/** The connection that a call came over. */
export interface Connection {
	/** Aborted when the client has disconnected. */
	readonly signal: AbortSignal;
	/** Sets the idle timeout of the connection. */
	setTimeout(seconds: number): void;
}

/** The HTTP request of a call, for logs. */
export interface RequestInfo {
	readonly method: string;
	/** The template of its path, such as `/api/agents/:id`. */
	readonly route: string;
	readonly requestId: string;
	/** When it arrived, by `performance.now()`. */
	readonly startedAt: number;
}

/** Data about the calls of one request, for the access log, the metrics and the testkit. */
export interface CallRecord {
	/** The last operation that was called. */
	operation: Operation | null;
	/** Null if no call was authenticated. */
	agentId: string | null;
	/** Whether a call had an invalid credential. */
	hasWrongCredential: boolean;
	/** Whether a call waited at the client's request (`wait`). */
	waited: boolean;
	/** The fault that was injected. */
	fault: Fault | null;
	/** Whether the testkit closes the connection without a response. */
	isDropped: boolean;
	/** The status of a failure that is reported in the body of a response with status 200; null if there is none. */
	refused: number | null;
}

/** The part of a call that comes from its request, whichever operation is called. */
export interface CallSource {
	readonly credentials: CallCredentials;
	/** Returns the key by which limits count the client's address. Most calls do not need it. */
	readonly address: () => string;
	readonly connection: Connection;
	readonly request: RequestInfo;
	/** Whether the agent itself calls, and not its owner. A visit updates `lastActive`. */
	readonly isVisit: boolean;
	/** Whether commits of other instances have been checked for since the request arrived. */
	readonly isFresh: boolean;
	readonly record: CallRecord;
}

/** The part of a call that depends on the operation. */
export interface CallTarget {
	readonly operation: Operation;
	readonly params: Readonly<Record<string, string>>;
	/** The parameters by name, not validated. */
	readonly query: Readonly<Record<string, string>>;
	/** The body, not validated; `{}` if it is empty. An error in it is thrown after authentication. */
	readonly body: object | ResortError;
	/** Whether the client prefers an event stream to JSON. */
	readonly acceptsStream?: boolean;
	/** Whether the client prefers a short answer (RFC 7240, `return=minimal`), if the operation has one. */
	readonly prefersMinimal?: boolean;
	/**
	 * The key by which the client may repeat the call, without quotation marks and not validated; an error is thrown after the
	 * input was validated. It has no effect on operations without `write`.
	 */
	readonly idempotencyKey?: string | ResortError | undefined;
	/**
	 * Checks the origin of the request, if the interface has not done so yet. The pipeline calls it for a call that a
	 * browser may have sent: one without a caller, or with a session.
	 * @throws ResortError `forbidden`
	 */
	readonly checkOrigin?: () => void;
}

/** A call of an operation. Every interface passes its calls to `handle`. */
export interface Call extends CallSource, CallTarget {}

/** The result of a call, which the interface sends. */
export interface Answer {
	readonly status: number;
	/**
	 * Header fields that depend on the operation and the call. The interface adds the header fields of all its responses.
	 */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: ResponseBody | ReadableStream | null;
	/** The ETag of the uncompressed body, for revalidation; null if clients must not store the answer. */
	readonly etag: string | null;
	/** When the answer expires even without an event, in milliseconds since the epoch; undefined: never. */
	readonly untilMs?: number | undefined;
	/** The token of a new session; null if the caller's session has ended; undefined: unchanged. */
	readonly session?: string | null | undefined;
	/** The suggested calls that the body contains. */
	readonly next?: readonly NextCall[];
	/** Null for a success. */
	readonly failure: {
		readonly error: unknown;
		/** The JSON of {@link Answer.body}. */
		readonly body: {
			readonly error: string;
			readonly hint?: string;
			readonly field?: string;
		};
	} | null;
}
