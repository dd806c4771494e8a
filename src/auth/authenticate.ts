import { ResortError } from "../lib/resort-error.ts";
import {
	type AuthenticatedAgent,
	authenticatedAgent,
	touch,
	writeAs,
} from "../resort/agents/authenticated-agent.ts";
import type { AgentProfile } from "../resort/agents/model.ts";
import { getOwnProfile } from "../resort/agents/service.ts";
import type { Caller } from "../resort/caller.ts";
import type { Sessions } from "../resort/context.ts";
import { failures } from "../resort/failures.ts";
import type { Operation } from "../resort/operation.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { beginSession } from "../resort/sessions/service.ts";
import { authenticateKey, authenticateSession, storedKey } from "./direct-credentials.ts";
import type { SignedRequest } from "./identity-provider/call-verifier.ts";
import type { IdentityProvider } from "./identity-provider/identity-provider.ts";
import { sealKey } from "./identity-provider/sealed-key.ts";

/** The credentials of a call. */
export interface CallCredentials {
	/**
	 * The key in `Authorization: Bearer`; an empty string if the field contains no key; null if there is no
	 * such field.
	 */
	readonly apiKey: string | null;
	/** The session token; empty if there is none. */
	readonly sessionToken: string;
	/** The request with its signature by the identity provider; null if it is not signed. */
	readonly signedRequest: SignedRequest | null;
}

/** The part of a call that authentication uses. */
export interface AuthenticatedCall {
	readonly operation: Pick<Operation, "credential">;
	readonly credentials: CallCredentials;
	readonly address: () => string;
	readonly isVisit: boolean;
	readonly checkOrigin?: (hasKey: boolean) => void;
}

/** Authenticates calls by direct keys, by keys and signatures of the identity provider, and by sessions. */
export class Authenticator implements Sessions {
	constructor(
		private readonly context: ServiceContext,
		private readonly provider: IdentityProvider | null,
	) {}

	/**
	 * Authenticates the caller. Checks the origin of a call that a browser may have sent. Updates `lastActive`
	 * if the agent itself calls (`isVisit`).
	 * @returns null if the operation requires no credential
	 * @throws ResortError `unauthorized`, `forbidden`, `unavailable`, or `rate_limited` if the client's network
	 * has sent too many unknown keys
	 */
	async authenticate(call: AuthenticatedCall): Promise<Caller | null> {
		const caller = await this.#findCaller(call);
		const hasKey = caller !== null && caller.credential.kind !== "session";
		call.checkOrigin?.(hasKey);
		if (caller !== null && call.isVisit) {
			await touch(this.context, caller.agent);
		}
		return caller;
	}

	/**
	 * Whether a call has a valid credential, even if its operation does not require one. False if the
	 * credential cannot be checked at the moment.
	 */
	async holdsCredential(call: AuthenticatedCall): Promise<boolean> {
		try {
			return (await this.findHolder(call)) !== null;
		} catch (error) {
			if (error instanceof ResortError) return false;
			throw error;
		}
	}

	/**
	 * Finds the agent whose credentials a call contains, whether or not the operation requires them.
	 * @returns null if the credentials are missing or invalid
	 * @throws ResortError `unavailable` if the identity provider does not respond; `rate_limited` if the
	 * client's network has sent too many unknown keys
	 */
	async findHolder(call: Omit<AuthenticatedCall, "operation">): Promise<AuthenticatedAgent | null> {
		try {
			const caller = await this.#findCaller({
				...call,
				operation: { credential: "any" },
			});
			return caller?.agent ?? null;
		} catch (error) {
			if (error instanceof ResortError && error.code === "unauthorized") {
				return null;
			}
			throw error;
		}
	}

	/**
	 * Checks that the credential of an open event stream or waiting call is still valid. Does nothing for a
	 * call without a caller.
	 * @throws ResortError `unauthorized` if the credential is not valid any more; `unavailable` or
	 * `rate_limited` if it cannot be checked
	 */
	async reauthenticate(call: AuthenticatedCall, caller: Caller | null): Promise<void> {
		if (caller === null) return;
		const { store, provider } = this.context;
		await store.withDeadline(async () => {
			await store.checkFreshness();
			if (caller.credential.kind !== "proxied") {
				await this.#findCaller(call);
				return;
			}
			// The signature of a signed call can be verified only once. Therefore such a call is only refused if
			// the agent has been deactivated in the meantime.
			const agent = await store.read(() => authenticatedAgent(store, caller.agent.id));
			if (agent === undefined) throw failures.unauthorized(provider?.url);
		});
	}

	async begin(
		apiKey: string,
		address: () => string,
		isVisit: boolean,
	): Promise<{ readonly agent: AgentProfile; readonly token: string }> {
		const context = this.context;
		const provider = this.provider;
		const { agent } = await this.#authenticateKey(apiKey, address);
		if (isVisit) await touch(context, agent);
		return writeAs(context, agent.id, function* () {
			// Checks a direct key again inside the transaction, because the key may have been replaced since the
			// first check. Replacing a key ends the existing sessions, but it would not end a session that begins
			// later.
			if (provider === null) yield* authenticateKey(context, apiKey, storedKey);
			const seal = provider && ((token: string) => sealKey(apiKey, token, provider.url));
			const token = yield* beginSession(context, agent.id, seal);
			return { agent: yield* getOwnProfile(context, agent), token };
		});
	}

	#authenticateKey(apiKey: string, address: () => string): Caller | Promise<Caller> {
		const context = this.context;
		return this.provider === null
			? context.store.read(() => authenticateKey(context, apiKey))
			: this.provider.authenticateCentralKey(context, apiKey, address);
	}

	/**
	 * Authenticates by the provider's signature if there is one, then by a Bearer key if the operation accepts
	 * one, then by the session.
	 */
	#findCaller({
		operation: { credential: accepted },
		credentials,
		address,
	}: AuthenticatedCall): Caller | null | Promise<Caller> {
		if (accepted === "none") return null;
		const { apiKey, signedRequest } = credentials;
		const context = this.context;
		const provider = this.provider;
		const noCredential = () => failures.noCredential(provider?.url);
		if (accepted !== "session") {
			if (provider !== null && signedRequest !== null) {
				return provider.authenticateSignedRequest(context, signedRequest);
			}
			if (apiKey !== null) {
				return this.#authenticateKey(apiKey, address);
			}
			if (accepted === "key") throw noCredential();
		}
		const { sessionToken } = credentials;
		if (sessionToken !== "") {
			return provider === null
				? context.store.read(() => authenticateSession(context, sessionToken))
				: provider.authenticateCentralSession(context, sessionToken, address);
		}
		if (accepted === "any") throw noCredential();
		throw new ResortError("unauthorized", "Unauthorized", {
			hint: "Send the session cookie that POST /api/session sets.",
		});
	}
}
