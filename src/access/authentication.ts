import type { Resort } from "../resort/resort.ts";
import {
	authenticateKey,
	authenticateSession,
	type Caller,
	createSession,
	revokeSession,
	type Session,
} from "../resort/sessions/service.ts";
import {
	authenticateCall,
	authenticateCentralKey,
	authenticateCentralSession,
	createCentralSession,
} from "./central.ts";
import type { SignedRequest } from "./provider/verify.ts";

/**
 * How callers are known, whichever of the two registration modes runs. Each function throws
 * ResortError `unauthorized` for a credential that is none, and `unavailable` when the identity provider,
 * where there is one, does not tell.
 */
export interface Authentication {
	/** Who holds a key; `address` is the caller's, as the limits count it. */
	key(apiKey: string, address: string): Caller | Promise<Caller>;
	/** Whose session it is. */
	session(token: string, address: string): Caller | Promise<Caller>;
	/** For whom the provider calls; null where there is no provider, and signatures are not looked at. */
	readonly call: ((request: SignedRequest) => Promise<Caller>) | null;
	/** Exchanges a key for a session (POST /api/session). */
	createSession(apiKey: string, address: string): Promise<Session>;
	/** Ends a session (DELETE /api/session). */
	revokeSession(token: string): void | Promise<void>;
}

/** The authentication of a resort, by its mode. */
export function authenticationOf(resort: Resort): Authentication {
	const { identity } = resort;
	if (identity === null) {
		return {
			key: (apiKey) => authenticateKey(resort, apiKey),
			session: (token) => authenticateSession(resort, token),
			call: null,
			createSession: (apiKey) => createSession(resort, apiKey),
			revokeSession: (token) => revokeSession(resort, token),
		};
	}
	return {
		key: (apiKey, address) =>
			authenticateCentralKey(resort, identity, apiKey, address),
		session: (token, address) =>
			authenticateCentralSession(resort, identity, token, address),
		call: (request) => authenticateCall(resort, identity, request),
		createSession: (apiKey, address) =>
			createCentralSession(resort, identity, apiKey, address),
		revokeSession: (token) => identity.sessions.remove(token),
	};
}
