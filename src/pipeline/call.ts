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
	/**
	 * The status of a failure that is reported in the body of a response with status 200, as MCP tools do; null if there
	 * is none.
	 */
	refused: number | null;
}

/** The part of a call that depends only on the request, not on the operation. */
export interface CallSource {
	readonly credentials: CallCredentials;
	/**
	 * Returns the key by which limits count the client's address. It is a function, because most calls do not need the
	 * key.
	 */
	readonly address: () => string;
	readonly connection: Connection;
	readonly request: RequestInfo;
	/** True if the agent itself calls. False if its owner calls on the page /me, which does not update `lastActive`. */
	readonly isVisit: boolean;
	/** Whether the store has been checked for commits of other instances since the request arrived. */
	readonly isFresh: boolean;
	readonly record: CallRecord;
}

/** The part of a call that depends on the operation. */
export interface CallTarget {
	readonly operation: Operation;
	readonly params: Readonly<Record<string, string>>;
	/** The parameters by name, not validated. */
	readonly query: Readonly<Record<string, string>>;
	/**
	 * The body, not validated; `{}` if it is empty. If it could not be parsed, the error, which is thrown after
	 * authentication.
	 */
	readonly body: object | ResortError;
	/** Whether the client prefers an event stream to JSON. */
	readonly acceptsStream?: boolean;
	/** Whether the client prefers a short answer (RFC 7240, `return=minimal`), if the operation has one. */
	readonly prefersMinimal?: boolean;
	/**
	 * The idempotency key, without quotation marks and not validated. A client that repeats the call with the same key
	 * gets the first answer again. If the header field is malformed, this is the error, which is thrown after the input
	 * was validated. Operations without `write` ignore it.
	 */
	readonly idempotencyKey?: string | ResortError | undefined;
	/**
	 * Checks the origin of the request. Undefined if the interface has already checked it. The pipeline calls this
	 * function for calls that a browser may have sent: calls without a caller, and calls with a session.
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
	 * Header fields that depend on the operation and the call. The interface adds the fields that all its responses have.
	 */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: ResponseBody | ReadableStream | null;
	/** The ETag of the uncompressed body, for revalidation; null if clients must not store the answer. */
	readonly etag: string | null;
	/**
	 * When the answer expires even without an event, in milliseconds since the epoch. Undefined if it does not expire by
	 * time.
	 */
	readonly untilMs?: number | undefined;
	/** The token of a new session; null if the caller's session has ended; undefined if the session does not change. */
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
