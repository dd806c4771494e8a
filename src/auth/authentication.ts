import type { Sessions } from "../resort/context.ts";
import type { Caller } from "../resort/operation.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { endSession } from "../resort/sessions/service.ts";
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
import type { SignedRequest } from "./provider/call-verifier.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";

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
	context: ServiceContext,
	provider: IdentityProvider | null,
): Authentication {
	const end = (token: string) => endSession(context.store, token);
	if (provider === null) {
		return {
			key: (apiKey) =>
				context.store.read(() => authenticateKey(context, apiKey)),
			session: (token) =>
				context.store.read(() => authenticateSession(context, token)),
			call: null,
			sessions: {
				begin: (apiKey, _, isVisit) =>
					beginDirectSession(context, apiKey, isVisit),
				end,
			},
		};
	}
	return {
		key: (apiKey, address) =>
			authenticateCentralKey(context, provider, apiKey, address),
		session: (token, address) =>
			authenticateCentralSession(context, provider, token, address),
		call: (request) => authenticateCall(context, provider, request),
		sessions: {
			begin: (apiKey, address, isVisit) =>
				beginCentralSession(context, provider, apiKey, address, isVisit),
			end,
		},
	};
}
