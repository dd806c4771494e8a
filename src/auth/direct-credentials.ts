import { parseApiKey, secretMatches, sha256 } from "../lib/credential.ts";
import {
	type AuthenticatedAgent,
	authenticatedAgent,
	CREDENTIALS_ENDED,
} from "../resort/agents/authenticated-agent.ts";
import { keyById } from "../resort/agents/queries.ts";
import type { Caller } from "../resort/caller.ts";
import { failures } from "../resort/failures.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { sessionByToken } from "../resort/sessions/queries.ts";
import { noteUse } from "../resort/sessions/service.ts";
import { cachedLookup } from "../store/cached-lookup.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";

/** Reads the row of an API key from the database and not from the cache. Use it inside a transaction. */
export const storedKey = (store: Store, keyId: string) => keyById(store).get({ keyId });

const knownKey = cachedLookup({ all: CREDENTIALS_ENDED }, storedKey);

/**
 * Looks up a session in a cache, then in the database, by the SHA-256 hash of its token in hexadecimal. If
 * the session contains a central key, the key stays encrypted.
 */
export const knownSession = cachedLookup({ all: CREDENTIALS_ENDED }, (store, hash) =>
	sessionByToken(store).get({ tokenHash: Uint8Array.fromHex(hash) }),
);

/**
 * Authenticates the holder of a direct key, that is, of a key issued by this resort.
 * @param find looks up the row of the key; by default in a cache, then in the database
 * @throws ResortError `unauthorized` if the key is malformed, unknown or replaced, or its agent is
 * deactivated
 */
export function* authenticateKey(
	{ store }: ServiceContext,
	apiKey: string,
	find: typeof storedKey = knownKey,
): Task<Caller> {
	const parts = parseApiKey(apiKey);
	if (parts === null) throw failures.unauthorized(undefined);
	const { keyId, secret } = parts;
	const key = yield* find(store, keyId);
	// Compares the secret even if the key does not exist, so that refusing an unknown key takes as long as
	// refusing a wrong secret.
	if (!secretMatches(secret, key?.secretHash) || key === undefined) {
		throw failures.unauthorized(undefined);
	}
	const agent = requireAgent(yield* authenticatedAgent(store, key.agentId));
	return { agent, credential: { kind: "key", keyId } };
}

/**
 * Authenticates the holder of a session that was created with a direct key, and records the use of the
 * session.
 * @throws ResortError `unauthorized` if the token is unknown, revoked or expired, if the session contains a
 * central key, or if the agent is deactivated
 */
export function* authenticateSession(context: ServiceContext, token: string): Task<Caller> {
	const { store, clock } = context;
	const hash = sha256(token).toHex();
	const session = yield* knownSession(store, hash);
	const isDirect = session?.sealedKey === null;
	if (!isDirect || session.expiresAt <= clock()) {
		throw failures.unauthorized(undefined);
	}
	const agent = requireAgent(yield* authenticatedAgent(store, session.agentId));
	noteUse(context, hash, session);
	return { agent, credential: { kind: "session", token } };
}

/**
 * Returns the agent of a credential.
 * @throws ResortError `unauthorized` if the agent is undefined, because it is deactivated
 */
function requireAgent(agent: AuthenticatedAgent | undefined): AuthenticatedAgent {
	if (agent === undefined) throw failures.unauthorized(undefined);
	return agent;
}
