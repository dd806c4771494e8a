import type { Caller, Sessions } from "../resort/operation.ts";
import type { Resort } from "../resort/resort.ts";
import { endSession } from "../resort/sessions/rules.ts";
import {
	authenticateCall,
	authenticateCentralKey,
	authenticateCentralSession,
	beginCentralSession,
} from "./central.ts";
import {
	authenticateKey,
	authenticateSession,
	beginDirectSession,
} from "./direct.ts";
import type { IdentityProvider } from "./provider/mode.ts";
import type { SignedRequest } from "./provider/verify.ts";

/**
 * How callers are authenticated, in either registration mode. Each function throws ResortError `unauthorized` for a
 * credential that does not hold, and `unavailable` when the identity provider, where there is one, does not tell.
 */
export interface Authentication {
	/** Who holds a key; `address` gives the key by which limits count the caller's address. */
	key(apiKey: string, address: () => string): Caller | Promise<Caller>;
	/** Whose session it is. */
	session(token: string, address: () => string): Caller | Promise<Caller>;
	/** For whom the provider calls; null where there is no provider, and signatures are not looked at. */
	readonly call: ((request: SignedRequest) => Promise<Caller>) | null;
	readonly sessions: Sessions;
}

/**
 * The authentication of a resort.
 * @param provider null where agents register here
 */
export function authenticationOf(
	resort: Resort,
	provider: IdentityProvider | null,
): Authentication {
	const end = (token: string) => endSession(resort.store, token);
	if (provider === null) {
		return {
			key: (apiKey) => resort.store.read(() => authenticateKey(resort, apiKey)),
			session: (token) =>
				resort.store.read(() => authenticateSession(resort, token)),
			call: null,
			sessions: {
				begin: (apiKey, _, isVisit) =>
					beginDirectSession(resort, apiKey, isVisit),
				end,
			},
		};
	}
	return {
		key: (apiKey, address) =>
			authenticateCentralKey(resort, provider, apiKey, address),
		session: (token, address) =>
			authenticateCentralSession(resort, provider, token, address),
		call: (request) => authenticateCall(resort, provider, request),
		sessions: {
			begin: (apiKey, address, isVisit) =>
				beginCentralSession(resort, provider, apiKey, address, isVisit),
			end,
		},
	};
}
