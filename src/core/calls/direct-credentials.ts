import { parseApiKey, secretMatches, sha256 } from "../lib/credential.ts";
import { authenticatedAgent, CREDENTIALS_ENDED } from "../resort/agents/authenticated-agent.ts";
import { keyById } from "../resort/agents/queries.ts";
import type { Caller } from "../resort/caller.ts";
import { failures } from "../resort/failures.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { sessionByToken } from "../resort/sessions/queries.ts";
import { noteUse } from "../resort/sessions/service.ts";
import { cachedLookup } from "../store/cached-lookup.ts";
import type { Store } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import type { CredentialChecks } from "./credential-checks.ts";

const storedKey = (store: Store, keyId: string) => keyById(store).get({ keyId });

const knownKey = cachedLookup({ all: CREDENTIALS_ENDED }, storedKey);

/**
 * Looks up a session in a cache, then in the database, by the SHA-256 hash of its token in hexadecimal. If
 * the session contains a central key, the key stays encrypted.
 */
export const knownSession = cachedLookup({ all: CREDENTIALS_ENDED }, (store, hash) =>
	sessionByToken(store).get({ tokenHash: Uint8Array.fromHex(hash) }),
);

/** Checks the keys that this resort issues, and the sessions that were created with them. */
export const directCredentials: CredentialChecks = {
	authenticateKey: (context, apiKey) => context.store.read(() => checkKey(context, apiKey, knownKey)),
	authenticateSession: (context, token) => context.store.read(() => checkSession(context, token)),
	*sealKey(context, apiKey) {
		// Checks the key again, because it may have been replaced since the first check. Replacing a key ends the
		// existing sessions, but it would not end a session that begins later.
		yield* checkKey(context, apiKey, storedKey);
		return null;
	},
};

/** @param find looks up the row of the key: in a cache, or in the database only */
function* checkKey({ store }: ServiceContext, apiKey: string, find: typeof storedKey): Task<Caller> {
	const parts = parseApiKey(apiKey);
	if (parts === null) throw failures.unauthorized(undefined);
	const { keyId, secret } = parts;
	const key = yield* find(store, keyId);
	// Compares the secret even if the key does not exist, so that refusing an unknown key takes as long as
	// refusing a wrong secret.
	const isRight = secretMatches(secret, key?.secretHash);
	const agent = isRight && key !== undefined ? yield* authenticatedAgent(store, key.agentId) : undefined;
	if (agent === undefined) throw failures.unauthorized(undefined);
	return { agent, credential: { kind: "key", keyId } };
}

/** Refuses a session that contains a central key. */
function* checkSession(context: ServiceContext, token: string): Task<Caller> {
	const { store, clock } = context;
	const hash = sha256(token).toHex();
	const session = yield* knownSession(store, hash);
	const isOpen = session?.sealedKey === null && session.expiresAt > clock();
	const agent = isOpen ? yield* authenticatedAgent(store, session.agentId) : undefined;
	if (session === undefined || agent === undefined) throw failures.unauthorized(undefined);
	noteUse(context, hash, session);
	return { agent, credential: { kind: "session", token } };
}
