import { call, hint } from "../lib/hint.ts";
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
import type { CredentialChecks, SignedRequest } from "./credential-checks.ts";
import { directCredentials } from "./direct-credentials.ts";

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

/** The credentials of a call, and the key by which limits count its client's address. */
interface CredentialSource {
	readonly credentials: CallCredentials;
	readonly address: () => string;
}

/** The part of a call that authentication uses. */
interface AuthenticatedCall extends CredentialSource {
	readonly operation: Pick<Operation, "credential">;
	readonly isVisit: boolean;
	readonly checkOrigin?: (hasKey: boolean) => void;
}

/** Authenticates calls by keys, by signatures of the identity provider, and by sessions. */
export class Authenticator implements Sessions {
	readonly #checks: CredentialChecks;

	constructor(
		private readonly context: ServiceContext,
		provider: CredentialChecks | null,
	) {
		this.#checks = provider ?? directCredentials;
	}

	/**
	 * Authenticates the caller. Checks the origin of a call that a browser may have sent. Updates `lastActive`
	 * if the agent itself calls (`isVisit`).
	 * @returns null if the operation requires no credential
	 * @throws ResortError `forbidden`, or as {@link CredentialChecks}
	 */
	async authenticate(call: AuthenticatedCall): Promise<Caller | null> {
		const caller = await this.#findCaller(call, call.operation.credential);
		const hasKey = caller !== null && caller.credential.kind !== "session";
		call.checkOrigin?.(hasKey);
		if (caller !== null && call.isVisit) {
			await touch(this.context, caller.agent);
		}
		return caller;
	}

	/**
	 * Finds the agent whose credentials a call contains, whether or not the operation requires them.
	 * @returns null if the credentials are missing or invalid
	 * @throws ResortError `unavailable` or `rate_limited`, as {@link CredentialChecks}
	 */
	async findHolder(call: CredentialSource): Promise<AuthenticatedAgent | null> {
		try {
			return (await this.#findCaller(call, "any"))?.agent ?? null;
		} catch (error) {
			if (error instanceof ResortError && error.code === "unauthorized") return null;
			throw error;
		}
	}

	/**
	 * Checks that the credential of an open event stream or waiting call is still valid. Does nothing for a
	 * call without a caller.
	 * @throws ResortError as {@link CredentialChecks}
	 */
	async reauthenticate(call: AuthenticatedCall, caller: Caller | null): Promise<void> {
		if (caller === null) return;
		const { store, provider } = this.context;
		await store.withDeadline(async () => {
			await store.checkFreshness();
			if (caller.credential.kind !== "proxied") {
				await this.#findCaller(call, call.operation.credential);
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
		const checks = this.#checks;
		const { agent } = await checks.authenticateKey(context, apiKey, address);
		if (isVisit) await touch(context, agent);
		return writeAs(context, agent.id, function* () {
			const token = yield* beginSession(context, agent.id, (token) => checks.sealKey(context, apiKey, token));
			return { agent: yield* getOwnProfile(context, agent), token };
		});
	}

	/**
	 * Authenticates by the provider's signature if there is one, then by a Bearer key if the operation accepts
	 * one, then by the session.
	 */
	#findCaller(
		{ credentials, address }: CredentialSource,
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
		if (accepted !== "session") throw failures.noCredential(context.provider?.url);
		throw new ResortError("unauthorized", "Unauthorized", {
			hint: hint`Send the session cookie that ${call("POST /api/session")} sets.`,
		});
	}
}
