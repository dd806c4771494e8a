import { sha256 } from "../../lib/credential.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { provideAgent } from "../../resort/agents/provider-agents.ts";
import type { Caller } from "../../resort/caller.ts";
import { failures } from "../../resort/failures.ts";
import type { Provider, ServiceContext } from "../../resort/service-context.ts";
import { noteUse } from "../../resort/sessions/service.ts";
import { knownSession } from "../direct-credentials.ts";
import { toAgentName } from "./agent-name.ts";
import { CallVerifier, type SignedRequest } from "./call-verifier.ts";
import { Introspector, type IntrospectorOptions } from "./introspection.ts";
import { openKey } from "./sealed-key.ts";

/** The options of {@link IdentityProvider}. */
export interface IdentityOptions extends Omit<IntrospectorOptions, "secret"> {
	/** One or two secrets. The first is used for introspection; both verify signed calls. */
	readonly secrets: readonly [string, ...string[]];
}

/**
 * Authenticates agents of the identity provider. Creates an agent in this resort at the agent's first call.
 */
export class IdentityProvider implements Provider {
	readonly url: string;
	readonly origin: string;
	readonly #introspector: Introspector;
	readonly #verifier: CallVerifier;

	constructor(options: IdentityOptions) {
		const { url, secrets } = options;
		this.url = url;
		this.origin = new URL(url).origin;
		this.#introspector = new Introspector({ ...options, secret: secrets[0] });
		this.#verifier = new CallVerifier({ secrets });
	}

	ping(): Promise<boolean> {
		return this.#introspector.ping();
	}

	/**
	 * Authenticates the holder of a central key, that is, of a key issued by the identity provider.
	 * @param address returns the key by which limits count the client's address; the queue of introspection
	 * requests uses the same key
	 * @throws ResortError `unauthorized` if the provider does not accept the key for this resort, or the agent
	 * is deactivated here; `unavailable` if the provider does not respond; `rate_limited` if the client's
	 * network has sent too many unknown keys
	 */
	async authenticateCentralKey(
		context: ServiceContext,
		apiKey: string,
		address: () => string,
	): Promise<Caller> {
		const answer = await this.#introspector.introspect(apiKey, address);
		if (answer.outcome === "unavailable") {
			const { reason, retryAfterSeconds } = answer;
			const message = "Identity provider unavailable";
			throw Object.assign(new ResortError("unavailable", message, { retryAfterSeconds }), { cause: reason });
		}
		if (answer.outcome === "rate_limited") {
			const { retryAfterSeconds } = answer;
			throw new ResortError("rate_limited", "Rate limit exceeded", {
				hint: `Too many unknown keys were sent from your network. Wait ${retryAfterSeconds} seconds, then repeat the call.`,
				retryAfterSeconds,
			});
		}
		if (answer.outcome === "refused") throw failures.unauthorized(this.url);
		const { issuer, subject, username } = answer.identity;
		const agent = await provideAgent(context, { issuer, subject }, () => toAgentName(username, subject));
		return { agent, credential: { kind: "central", subject } };
	}

	/**
	 * Authenticates a request that the provider has signed for an agent. The caller is the same agent as with a
	 * central key of the same subject.
	 * @throws ResortError `unauthorized` if the signature is invalid or was used before, or the agent is
	 * deactivated here; `unavailable` if the database fails
	 */
	async authenticateSignedRequest(context: ServiceContext, request: SignedRequest): Promise<Caller> {
		const { store, clock } = context;
		const subject = await this.#verifier.verify(request, store, clock());
		if (subject === null) {
			throw new ResortError("unauthorized", "Unauthorized", {
				refusesCredential: true,
				hint: "The call's signature is not valid; GET /api/health lists the required header fields.",
			});
		}
		const agent = await provideAgent(context, { issuer: this.url, subject }, () =>
			toAgentName(null, subject),
		);
		return { agent, credential: { kind: "proxied", subject } };
	}

	/**
	 * Authenticates the holder of a session that was created with a central key, and records the use of the
	 * session. {@link authenticateCentralKey} checks the session's central key again.
	 * @throws ResortError `unauthorized` if the token is unknown or expired, the session contains no central
	 * key, or the key does not belong to the session's agent any more; `unavailable` if the provider does not
	 * respond; `rate_limited` if the client's network has sent too many unknown keys
	 */
	async authenticateCentralSession(
		context: ServiceContext,
		token: string,
		address: () => string,
	): Promise<Caller> {
		const { store, clock } = context;
		const hash = sha256(token).toHex();
		const session = await store.read(() => knownSession(store, hash));
		const refused = () => failures.unauthorized(this.url);
		if (!session?.sealedKey || session.expiresAt <= clock()) throw refused();
		const apiKey = openKey(session.sealedKey, token, this.url);
		if (apiKey === null) throw refused();
		const { agent } = await this.authenticateCentralKey(context, apiKey, address);
		// The session may have ended while the provider was asked.
		const current = await store.read(() => knownSession(store, hash));
		if (current?.agentId !== agent.id) throw refused();
		noteUse(context, hash, session);
		return { agent, credential: { kind: "session", token } };
	}
}
