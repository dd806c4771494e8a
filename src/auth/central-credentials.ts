import { sha256 } from "../lib/credential.ts";
import { ResortError } from "../lib/resort-error.ts";
import { CREDENTIALS_ENDED } from "../resort/agents/authenticated-agent.ts";
import { provideAgent } from "../resort/agents/provider-agents.ts";
import { failures } from "../resort/failures.ts";
import type { Caller } from "../resort/operation.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { centralSession } from "../resort/sessions/queries.ts";
import { cachedLookup } from "../store/cached-lookup.ts";
import { toAgentName } from "./provider/agent-name.ts";
import type { SignedRequest } from "./provider/call-verifier.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import { openKey } from "./provider/sealed-key.ts";

/** By the SHA-256 of its token in hexadecimal. Its central key stays sealed. */
const knownSession = cachedLookup({ all: CREDENTIALS_ENDED }, (store, hash) =>
	centralSession(store).get({ tokenHash: Uint8Array.fromHex(hash) }),
);

/**
 * Authenticates the holder of a central key, whose agent is created at the first use.
 * @param address returns the key of the client's address, by which introspections are queued
 * @throws ResortError `unauthorized` if the provider does not accept the key for the resort, or the agent is deactivated
 * here; `unavailable` if the provider gives no answer
 */
export async function authenticateCentralKey(
	context: ServiceContext,
	provider: IdentityProvider,
	apiKey: string,
	address: () => string,
): Promise<Caller> {
	const answer = await provider.introspector.introspect(apiKey, address);
	if (answer.outcome === "unavailable") {
		const { reason, retryAfterSeconds } = answer;
		const message = "Identity provider unavailable";
		throw Object.assign(
			new ResortError("unavailable", message, { retryAfterSeconds }),
			{ cause: reason },
		);
	}
	if (answer.outcome === "refused") throw failures.unauthorized(provider.url);
	const { issuer, subject, username } = answer.identity;
	const agent = await provideAgent(context, { issuer, subject }, () =>
		toAgentName(username, subject),
	);
	return { agent, credential: { kind: "central", subject } };
}

/**
 * Authenticates a request that the provider has signed for an agent: the identity is that of the agent's central key.
 * @throws ResortError `unauthorized` if the signature is invalid or was used before, or the agent is deactivated here;
 * `unavailable` if the storage fails
 */
export async function authenticateSignedRequest(
	context: ServiceContext,
	provider: IdentityProvider,
	request: SignedRequest,
): Promise<Caller> {
	const { store, clock } = context;
	const call = await provider.verifier.verify(request, store, clock());
	if (call === null) {
		throw new ResortError("unauthorized", "Unauthorized", {
			hint: "The signature of this call does not hold; GET /api/health tells which header fields it needs.",
		});
	}
	const { subject } = call;
	const agent = await provideAgent(
		context,
		{ issuer: provider.url, subject },
		() => toAgentName(null, subject),
	);
	return { agent, credential: { kind: "proxied", subject } };
}

/**
 * Authenticates the holder of a session, and its central key again, as {@link authenticateCentralKey} does.
 * @throws ResortError `unauthorized` if the token is unknown or expired, or the key is no longer that of the session's
 * agent; `unavailable` if the provider gives no answer
 */
export async function authenticateCentralSession(
	context: ServiceContext,
	provider: IdentityProvider,
	token: string,
	address: () => string,
): Promise<Caller> {
	const { store, clock } = context;
	const hash = sha256(token).toHex();
	const session = await store.read(() => knownSession(store, hash));
	const refused = () => failures.unauthorized(provider.url);
	if (session === undefined || session.expiresAt <= clock()) throw refused();
	const apiKey = openKey(session.sealedKey, token, provider.url);
	if (apiKey === null) throw refused();
	const { agent } = await authenticateCentralKey(
		context,
		provider,
		apiKey,
		address,
	);
	if (agent.id !== session.agentId) throw refused();
	return { agent, credential: { kind: "session", token } };
}
