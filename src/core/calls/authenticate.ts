import { parseApiKey, secretMatches, sha256 } from "../lib/credential.ts";
import { call, hint } from "../lib/hint.ts";
import { ResortError } from "../lib/resort-error.ts";
import {
	type AuthenticatedAgent,
	authenticatedAgent,
	type Caller,
	CREDENTIALS_ENDED,
	lockActive,
	touch,
} from "../resort/agents/authenticated-agent.ts";
import { keyById } from "../resort/agents/queries.ts";
import { getOwnProfile } from "../resort/agents/service.ts";
import type { Sessions } from "../resort/context.ts";
import { failures } from "../resort/failures.ts";
import type { Operation } from "../resort/operation.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { sessionByToken } from "../resort/sessions/queries.ts";
import { beginSession, noteUse } from "../resort/sessions/service.ts";
import { cachedLookup } from "../store/cached-lookup.ts";
import { afterCommit, EXTERNAL_CHANGE, type Store, type StoreEvent } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import type { Call, CallSource, SignedRequest } from "./call.ts";

/**
 * Checks the credentials that the resort, or an identity provider, has issued. All methods throw
 * ResortError `unauthorized` if the credential is not valid or the agent is deactivated. Checks that ask the
 * provider also throw `unavailable` if it does not respond, and `rate_limited` if the client's network has
 * sent too many unknown keys.
 */
export interface CredentialChecks {
	/** Authenticates the holder of an API key. `address` returns the client's address for the limits. */
	authenticateKey(context: ServiceContext, apiKey: string, address: () => string): Caller | Promise<Caller>;
	/** Authenticates the holder of a session, and records the use of the session. */
	authenticateSession(
		context: ServiceContext,
		token: string,
		address: () => string,
	): Caller | Promise<Caller>;
	/** Authenticates the caller of a signed request. This method is undefined if signatures are ignored. */
	authenticateSignedRequest?(context: ServiceContext, request: SignedRequest): Promise<Caller>;
	/**
	 * Returns the API key that a new session stores, encrypted with the session's token; null to store none.
	 * Runs inside the transaction that begins the session.
	 */
	sealKey(context: ServiceContext, apiKey: string, token: string): Task<Uint8Array | null>;
}

/** The types of events after which a credential may be invalid. */
const endingTypes: ReadonlySet<string> = new Set([...CREDENTIALS_ENDED, EXTERNAL_CHANGE.type]);

/** Authenticates calls by keys, by signatures of the identity provider, and by sessions. */
export class Authenticator implements Sessions {
	readonly #checks: CredentialChecks;
	/** The listeners of {@link watch}, each with the agent that it watches. */
	readonly #watches = new Set<{ readonly agentId: string; readonly listener: () => void }>();

	constructor(
		private readonly context: ServiceContext,
		provider: CredentialChecks | null,
	) {
		this.#checks = provider ?? directCredentials;
		context.store.subscribe((event) => this.#notify(event));
	}

	/**
	 * Authenticates the caller, checks the origin of a call that a browser may have sent, and updates
	 * `lastActive` if the agent itself calls (`isVisit`).
	 * @returns null if the operation requires no credential
	 * @throws ResortError `forbidden`, or as {@link CredentialChecks}
	 */
	async authenticate(call: Call): Promise<Caller | null> {
		const caller = await this.#findCaller(call, call.operation.credential);
		const hasKey = caller !== null && caller.credential.kind !== "session";
		call.checkOrigin?.(hasKey);
		if (caller !== null && call.isVisit) await touch(this.context, caller.agent);
		return caller;
	}

	/**
	 * Finds the agent whose credentials a call contains, whether or not the operation requires them; null if
	 * they are missing or invalid.
	 * @throws ResortError `unavailable` or `rate_limited`, as {@link CredentialChecks}
	 */
	async findHolder(call: CallSource): Promise<AuthenticatedAgent | null> {
		try {
			return (await this.#findCaller(call, "any"))?.agent ?? null;
		} catch (error) {
			if (error instanceof ResortError && error.code === "unauthorized") return null;
			throw error;
		}
	}

	/**
	 * Checks that the credential of an open event stream or waiting call, if it has one, is still valid.
	 * @throws ResortError as {@link CredentialChecks}
	 */
	async reauthenticate(call: Call, caller: Caller | null): Promise<void> {
		if (caller === null) return;
		const { store } = this.context;
		await store.withDeadline(async () => {
			await store.checkFreshness();
			if (caller.credential.kind !== "proxied") {
				await this.#findCaller(call, call.operation.credential);
				return;
			}
			// The signature of a signed call can be verified only once. Therefore such a call is refused only if
			// the agent has been deactivated in the meantime.
			const agent = await store.read(() => authenticatedAgent(store, caller.agent.id));
			if (agent === undefined) throw failures.unauthorized(this.context);
		});
	}

	/**
	 * Watches the credentials of a caller with an open event stream or waiting call.
	 * @param listener called when one of the credentials may have become invalid
	 * @returns a function that ends the watch
	 */
	watch(caller: Caller | null, listener: () => void): () => void {
		if (caller === null) return () => {};
		const watch = { agentId: caller.agent.id, listener };
		this.#watches.add(watch);
		return () => this.#watches.delete(watch);
	}

	#notify({ type, agentId }: StoreEvent): void {
		if (!endingTypes.has(type)) return;
		const notified = [...this.#watches].filter((one) => agentId === null || one.agentId === agentId);
		afterCommit(() => {
			for (const { listener } of notified) listener();
		});
	}

	readonly begin: Sessions["begin"] = async (apiKey, address, isVisit) => {
		const context = this.context;
		const checks = this.#checks;
		const { agent } = await checks.authenticateKey(context, apiKey, address);
		if (isVisit) await touch(context, agent);
		return context.store.write(function* () {
			yield* lockActive(context, agent.id);
			const token = yield* beginSession(context, agent.id, (token) => checks.sealKey(context, apiKey, token));
			return { agent: yield* getOwnProfile(context, agent), token };
		});
	};

	/** Authenticates by the signature, else by the key if the operation accepts one, else by the session. */
	#findCaller(
		{ credentials, address }: CallSource,
		accepted: Operation["credential"],
	): Caller | null | Promise<Caller> {
		if (accepted === "none") return null;
		const { apiKey, signedRequest } = credentials;
		const context = this.context;
		const checks = this.#checks;
		if (accepted !== "session") {
			if (signedRequest !== null && checks.authenticateSignedRequest !== undefined) {
				return checks.authenticateSignedRequest(context, signedRequest);
			}
			if (apiKey !== null) return checks.authenticateKey(context, apiKey, address);
		}
		if (accepted !== "key" && credentials.sessionToken !== "") {
			return checks.authenticateSession(context, credentials.sessionToken, address);
		}
		if (accepted !== "session") throw failures.noCredential(context);
		throw new ResortError("unauthorized", "Unauthorized", {
			hint: hint`Send the session cookie that ${call("POST /api/session")} sets.`,
		});
	}
}

const storedKey = (store: Store, keyId: string) => keyById(store).get({ keyId });

const knownKey = cachedLookup({ all: CREDENTIALS_ENDED }, storedKey);

/**
 * Looks up a session by the SHA-256 hash of its token in hexadecimal. A provider's key in the session stays
 * encrypted.
 */
export const knownSession = cachedLookup({ all: CREDENTIALS_ENDED }, (store, hash) =>
	sessionByToken(store).get({ tokenHash: Uint8Array.fromHex(hash) }),
);

/** Checks the keys that this resort issues, and the sessions that were created with them. */
const directCredentials: CredentialChecks = {
	authenticateKey: (context, apiKey) => context.store.read(() => checkKey(context, apiKey, knownKey)),
	authenticateSession: (context, token) => context.store.read(() => checkSession(context, token)),
	*sealKey(context, apiKey) {
		// Checks the key again, because it may have been replaced since the first check. Replacing a key ends the
		// existing sessions, but not a session that begins later.
		yield* checkKey(context, apiKey, storedKey);
		return null;
	},
};

/** @param find looks up the row of the key, either with a cache or always in the database */
function* checkKey(context: ServiceContext, apiKey: string, find: typeof storedKey): Task<Caller> {
	const { store } = context;
	const parts = parseApiKey(apiKey);
	if (parts === null) throw failures.unauthorized(context);
	const { keyId, secret } = parts;
	const key = yield* find(store, keyId);
	// Compares the secret even if the key does not exist, so that refusing an unknown key takes as long as
	// refusing a wrong secret.
	const isRight = secretMatches(secret, key?.secretHash);
	const agent = isRight && key !== undefined ? yield* authenticatedAgent(store, key.agentId) : undefined;
	if (agent === undefined) throw failures.unauthorized(context);
	return { agent, credential: { kind: "key", keyId } };
}

/** Checks a session, and refuses one that contains a key of an identity provider. */
function* checkSession(context: ServiceContext, token: string): Task<Caller> {
	const { store, clock } = context;
	const hash = sha256(token).toHex();
	const session = yield* knownSession(store, hash);
	const isOpen = session?.sealedKey === null && session.expiresAt > clock();
	const agent = isOpen ? yield* authenticatedAgent(store, session.agentId) : undefined;
	if (session === undefined || agent === undefined) throw failures.unauthorized(context);
	noteUse(context, hash, session);
	return { agent, credential: { kind: "session", token } };
}
