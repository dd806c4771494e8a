import type { ResortError } from "../lib/resort-error.ts";
import type { Input, Operation } from "../resort/operation.ts";

/** The connection over which a call came. */
export interface Connection {
	/** Aborted when the client has disconnected. */
	readonly signal: AbortSignal;
	/** Sets the idle timeout of the connection. */
	setTimeout(seconds: number): void;
}

/** Data about a request and its calls, for the access log, the metrics and tests. */
export interface RequestRecord {
	/** The method; `other` if it is not one of the known ones, so that clients cannot create metric labels. */
	readonly method: string;
	/** The template of the request's path, such as `/api/agents/:id`. */
	readonly route: string;
	readonly requestId: string;
	/** The address at the other end of the connection; null without `--log-addresses`. */
	readonly peer: string | null;
	/** The time at which the request arrived, by `performance.now()`. */
	readonly startedAt: number;
	/** The time, by the resort's clock, at which the request arrived, in milliseconds since the epoch. */
	readonly atMs: number;
	/** The last operation that was called; null if there was none. */
	operation: Operation | null;
	/** The agent of the first authenticated call; null if no call was authenticated. */
	agentId: string | null;
	/** Whether a call had an invalid credential. */
	hasWrongCredential: boolean;
	/** Whether a call waited at the client's request (`wait`). */
	waited: boolean;
	/** The fault that was injected; null if there was none. */
	fault: { readonly id: string; readonly drop: boolean } | null;
	/** Whether the transport must close the connection without a response, because a test requires it. */
	isDropped: boolean;
	/** The HTTP status of a failed MCP tool, whose response has the status 200; null if no tool has failed. */
	refused: number | null;
}

/** A signed request, as the resort received it. */
export interface SignedRequest {
	readonly method: string;
	/**
	 * The base URL with the path and query of the request, which must equal the signed URL byte by byte; empty
	 * if the request has no valid URL. It is never built from `Host`.
	 */
	readonly targetUri: string;
	readonly headers: Headers;
	/** The SHA-256 digest of the raw body; null if the body cannot be read. */
	readonly bodySha256: Uint8Array | null;
	/** The `operationId` of the route. */
	readonly operationId: string;
}

/** The credentials of a call. */
export interface CallCredentials {
	/** The key in `Authorization: Bearer`, which may be empty; null without such a field. */
	readonly apiKey: string | null;
	/** The session token; empty if there is none. */
	readonly sessionToken: string;
	/** The request with its signature by the identity provider; null if it is not signed. */
	readonly signedRequest: SignedRequest | null;
}

/** The part of a call that depends only on the request, not on the operation. */
export interface CallSource {
	readonly credentials: CallCredentials;
	/**
	 * Returns the client's address in the form that the rate limits use. This is a function, because most calls
	 * do not need the address.
	 */
	readonly address: () => string;
	readonly connection: Connection;
	/** False if the owner calls through the page /me; such calls do not update `lastActive`. */
	readonly isVisit: boolean;
	/** Whether the store has been checked for commits of other instances since the request arrived. */
	readonly isFresh: boolean;
	readonly record: RequestRecord;
}

/** The part of a call that depends on the operation. */
export interface CallTarget {
	readonly operation: Operation;
	readonly params: Readonly<Record<string, string>>;
	/** The query parameters by name, not validated. */
	readonly query: Readonly<Record<string, string>>;
	/**
	 * The request body, not validated; `{}` if it is empty. The error of a body that could not be parsed, or of
	 * an invalid `Last-Event-ID`, is thrown after authentication.
	 */
	readonly body: object | ResortError;
	/** Whether the client prefers an event stream to JSON. */
	readonly acceptsStream?: boolean;
	/** Whether the client prefers a short answer (RFC 7240, `return=minimal`). Not all operations have one. */
	readonly prefersMinimal?: boolean;
	/**
	 * The idempotency key without its quotation marks, not validated. Operations without `write` ignore the
	 * key. The error of a malformed header field is thrown after the input has been validated.
	 */
	readonly idempotencyKey?: string | ResortError | undefined;
	/**
	 * Checks that no page of another origin has sent the request; undefined if the transport has checked it.
	 * @param hasKey whether a key or a signature authenticates the call. Browsers add neither of them by
	 * themselves
	 * @throws ResortError `forbidden`
	 */
	readonly checkOrigin?: (hasKey: boolean) => void;
}

/** A call of an operation. Every transport (HTTP, MCP, the forms of /me) passes its calls to `handle`. */
export interface Call extends CallSource, CallTarget {}

/** The result of the validation of a call. */
export interface ValidCall {
	readonly input: Input;
	/** The names of the body's unknown fields, which the answer lists. */
	readonly ignored: readonly string[];
	/** Whether the call permanently adds rows. */
	readonly adds: boolean;
}
