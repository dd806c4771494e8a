import { type CredentialChecks, knownSession } from "../../core/calls/authenticate.ts";
import type { SignedRequest } from "../../core/calls/call.ts";
import { sha256 } from "../../core/lib/credential.ts";
import { call, hint } from "../../core/lib/hint.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import { codePoints, isBlank, withoutInvisible } from "../../core/lib/text.ts";
import type { Caller } from "../../core/resort/agents/authenticated-agent.ts";
import { type Agent, findAgent, makeAgent } from "../../core/resort/agents/service.ts";
import { failures } from "../../core/resort/failures.ts";
import type { Provider, ServiceContext } from "../../core/resort/service-context.ts";
import { noteUse } from "../../core/resort/sessions/service.ts";
import type { Task } from "../../core/store/task.ts";
import { CallVerifier } from "./call-verifier.ts";
import { type IdentityOptions, Introspector } from "./introspection.ts";
import type { Identity } from "./introspection-client.ts";
import { agentOfIdentity, insertIdentity } from "./queries.ts";
import { openKey, sealKey } from "./sealed-key.ts";

/** Authenticates agents of the identity provider, and creates them at their first call. */
export class IdentityProvider implements Provider, CredentialChecks {
	readonly url: string;
	readonly origin: string;
	readonly #introspector: Introspector;
	readonly #verifier: CallVerifier;

	constructor(options: IdentityOptions) {
		this.url = options.url;
		this.origin = new URL(options.url).origin;
		this.#introspector = new Introspector(options);
		this.#verifier = new CallVerifier(options.secrets);
	}

	ping(): Promise<boolean> {
		return this.#introspector.ping();
	}

	/** Authenticates the holder of a central key, that is, of a key issued by the identity provider. */
	async authenticateKey(context: ServiceContext, apiKey: string, address: () => string): Promise<Caller> {
		const identity = await this.#introspector.introspect(apiKey, address);
		if (identity === null) throw failures.unauthorized(context);
		const agent = await provideAgent(context, identity);
		return { agent, credential: { kind: "central", subject: identity.subject } };
	}

	/** Authenticates a signed request. A central key of the same subject belongs to the same agent. */
	async authenticateSignedRequest(context: ServiceContext, request: SignedRequest): Promise<Caller> {
		const { store, clock } = context;
		const subject = await this.#verifier.verify(request, store, clock());
		if (subject === null) {
			throw new ResortError("unauthorized", "Unauthorized", {
				refusesCredential: true,
				hint: hint`The call's signature is not valid; ${call("GET /api/health")} lists the required header fields.`,
			});
		}
		const agent = await provideAgent(context, { issuer: this.url, subject, username: null });
		return { agent, credential: { kind: "proxied", subject } };
	}

	/**
	 * Authenticates the holder of a session that was created with a key of the identity provider. That key
	 * must still be valid, and must belong to the session's agent.
	 */
	async authenticateSession(context: ServiceContext, token: string, address: () => string): Promise<Caller> {
		const { store, clock } = context;
		const hash = sha256(token).toHex();
		const session = await store.read(() => knownSession(store, hash));
		const isOpen = session !== undefined && session.expiresAt > clock();
		const apiKey = isOpen && session.sealedKey ? openKey(session.sealedKey, token, this.url) : null;
		if (session === undefined || apiKey === null) throw failures.unauthorized(context);
		const { agent } = await this.authenticateKey(context, apiKey, address);
		// The session may have ended while the provider was asked.
		const current = await store.read(() => knownSession(store, hash));
		if (current?.agentId !== agent.id) throw failures.unauthorized(context);
		noteUse(context, hash, session);
		return { agent, credential: { kind: "session", token } };
	}

	*sealKey(_: ServiceContext, apiKey: string, token: string): Task<Uint8Array> {
		return sealKey(apiKey, token, this.url);
	}
}

/**
 * Returns the agent of an identity, and creates it if the identity is used for the first time.
 * @throws ResortError `unauthorized` if the agent is deactivated; `full` if the resort accepts no new data
 */
async function provideAgent(
	context: ServiceContext,
	{ issuer, subject, username }: Identity,
): Promise<Agent> {
	const { store, clock } = context;
	const find = function* () {
		const row = yield* agentOfIdentity(store).get({ issuer, subject });
		if (row === undefined) return null;
		const agent = yield* findAgent(context, row.agentId);
		if (agent === null) throw failures.unauthorized(context);
		return agent;
	};
	const existing = await store.read(find);
	if (existing !== null) return existing;
	if (context.capacity.full !== null) throw failures.full();
	return store.write(function* () {
		const concurrent = yield* find();
		if (concurrent !== null) return concurrent;
		const createdAt = clock();
		const agent = yield* makeAgent(context, { name: toAgentName(username, subject) }, createdAt);
		yield* insertIdentity(store).run({ issuer, subject, agentId: agent.id, createdAt });
		return agent;
	});
}

const MIN_LENGTH = 2;
const MAX_LENGTH = 100;

/**
 * Derives the name of an agent from its username at the provider. Removes control characters, lone surrogates
 * and invisible characters, collapses white space, and truncates to 100 code points.
 * @param username null if the provider sent no username, as with every signed call
 * @returns 2 to 100 code points. If fewer than 2 are left, or only blank ones, the name is `Guest ` and 8
 * hexadecimal digits of the subject's SHA-256 hash
 */
export function toAgentName(username: string | null, subject: string): string {
	const printable = (username ?? "").replace(/(?!\s)[\p{Cc}\p{Cs}]/gu, "");
	const clean = withoutInvisible(printable.replace(/\s/g, " ")).replace(/ +/g, " ").trim();
	const cut = [...clean].slice(0, MAX_LENGTH).join("");
	// Truncation may have cut a flag emoji, whose remaining tag characters are invisible.
	const name = withoutInvisible(cut).trimEnd();
	if (codePoints(name) >= MIN_LENGTH && !isBlank(name)) return name;
	return `Guest ${sha256(subject).toHex().slice(0, 8)}`;
}
