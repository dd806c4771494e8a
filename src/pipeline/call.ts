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

/** The HTTP request that a call came with, as logs show it. */
export interface RequestInfo {
	readonly method: string;
	/** The template of its path, such as `/api/agents/:id`. */
	readonly route: string;
	readonly requestId: string;
	/** When it arrived, by `performance.now()`. */
	readonly startedAt: number;
}

/** What the access log, the metrics and the testkit record of the calls of one request. */
export interface CallRecord {
	/** The last operation that was called. */
	operation: Operation | null;
	/** Null if no call was authenticated. */
	agentId: string | null;
	/** Whether a call came with a credential that is not valid. */
	hasWrongCredential: boolean;
	/** Whether a call waited because the client requested it. */
	waited: boolean;
	/** The fault that was injected. */
	fault: Fault | null;
	/** The status of a failure that the response reports in its body, with status 200; null if there is none. */
	refused: number | null;
}

/** What a call has from the request that it came with, whichever operation it calls. */
export interface CallSource {
	readonly credentials: CallCredentials;
	/** Returns the key by which limits count the client's address. Most calls do not need it. */
	readonly address: () => string;
	readonly connection: Connection;
	readonly request: RequestInfo;
	/** Whether the agent itself calls, and not the person behind it: a visit updates `lastActive`. */
	readonly isVisit: boolean;
	/** Whether the store was checked for commits of other instances after the request had arrived. */
	readonly isFresh: boolean;
	readonly record: CallRecord;
}

/** What a call calls. */
export interface CallTarget {
	readonly operation: Operation;
	readonly params: Readonly<Record<string, string>>;
	/** By name, not validated. */
	readonly query: Readonly<Record<string, string>>;
	/** Not validated; `{}` for none. An error is thrown once the caller is authenticated. */
	readonly body: object | ResortError;
	/** Whether the client prefers an event stream to JSON. */
	readonly acceptsStream?: boolean;
	/**
	 * Checks the origin of the request, where the interface has not done so before. It is called if the call may come
	 * from a page: if it has no caller, or one with a session.
	 * @throws ResortError `forbidden`
	 */
	readonly checkOrigin?: () => void;
}

/** A call of an operation. Every interface passes its calls to `handle`. */
export interface Call extends CallSource, CallTarget {}

/** What a call returns, for the interface to send. */
export interface Answer {
	readonly status: number;
	/** Header fields that depend on the operation and the call; the interface adds those of all its responses. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: ResponseBody | ReadableStream | null;
	/** The ETag of its body without a coding, by which clients may revalidate it; null if they may not store it. */
	readonly etag: string | null;
	/** When it changes if no event changes it before, in milliseconds since the epoch; never when left out. */
	readonly untilMs?: number | undefined;
	/** The token of a new session; null if the caller's session has ended. */
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
