import type { Caller } from "../resort/caller.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { QueryResult } from "../store/task.ts";

/** A request as the resort received it. */
export interface SignedRequest {
	readonly method: string;
	/**
	 * The resort's base URL followed by the path and query of the request. It is never built from `Host`, and
	 * it must equal the signed URL byte by byte. Empty if the request has no valid URL.
	 */
	readonly targetUri: string;
	readonly headers: Headers;
	/** The SHA-256 digest of the raw body; null if the body cannot be read. */
	readonly bodySha256: Uint8Array | null;
	/** The `operationId` of the route. */
	readonly operationId: string;
}

/**
 * Checks the credentials of calls. A resort has one of two kinds of credentials: its own, or those of an
 * identity provider. All methods throw ResortError `unauthorized` if the credential is not valid or the agent
 * is deactivated. Checks that ask the provider also throw `unavailable` if it does not respond, and
 * `rate_limited` if the client's network has sent too many unknown keys.
 */
export interface CredentialChecks {
	/**
	 * Authenticates the holder of a key.
	 * @param address returns the key by which limits count the client's address
	 */
	authenticateKey(context: ServiceContext, apiKey: string, address: () => string): Caller | Promise<Caller>;
	/** Authenticates the holder of a session, and records the use of the session. */
	authenticateSession(
		context: ServiceContext,
		token: string,
		address: () => string,
	): Caller | Promise<Caller>;
	/** Authenticates the caller of a signed request. It is undefined if signatures are ignored. */
	authenticateSignedRequest?(context: ServiceContext, request: SignedRequest): Promise<Caller>;
	/**
	 * Returns what a session stores of the key with which it begins, encrypted with the session's token; null
	 * for nothing. Runs inside the transaction that begins the session.
	 */
	sealKey(context: ServiceContext, apiKey: string, token: string): QueryResult<Uint8Array | null>;
}
