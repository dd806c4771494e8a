import type { SignedRequest } from "../../features/identity-provider/call-verifier.ts";
import type { Caller } from "../resort/caller.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import type { QueryResult } from "../store/task.ts";

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
