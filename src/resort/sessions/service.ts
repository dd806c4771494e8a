import { eq, lte, sql } from "drizzle-orm";
import { DAY_MS } from "../../lib/clock.ts";
import {
	createSessionToken,
	parseApiKey,
	secretMatches,
	sha256,
} from "../../lib/credential.ts";
import { CREDENTIALS } from "../../store/changes.ts";
import { remembered } from "../../store/remembered.ts";
import { direct } from "../../store/store.ts";
import { apiKeys, sessions } from "../../store/tables.ts";
import {
	type KnownAgent,
	knownAgent,
	touch,
	writeAs,
} from "../agents/known.ts";
import { type Agent, getAgent } from "../agents/service.ts";
import { failures } from "../failures.ts";
import type { Resort } from "../resort.ts";

/** How long a session lasts (decisions 4). */
export const SESSION_MS = 7 * DAY_MS;

/** Who is asking, and by which credential. */
export interface Caller {
	readonly agent: KnownAgent;
	readonly credential:
		| { readonly kind: "key"; readonly keyId: string }
		| { readonly kind: "central" | "proxied"; readonly subject: string }
		| { readonly kind: "session"; readonly token: string };
}

/** A session that begins; its token is told this once. */
export interface Session {
	readonly agent: Agent;
	readonly token: string;
}

/** Whose key it is, by its id, and SHA-256 of its secret. */
const keyById = direct(
	{
		agentId: apiKeys.agentId,
		secretHash: sql<Uint8Array>`${apiKeys.secretHash}`,
	},
	(db, fields) =>
		db
			.select(fields)
			.from(apiKeys)
			.where(eq(apiKeys.keyId, sql.placeholder("keyId"))),
);

const knownKey = remembered("credentials", (store, keyId) =>
	keyById(store).get({ keyId }),
);

/** Whose session it is, by SHA-256 of its token, and when it ends. */
const sessionByToken = direct(
	{ agentId: sessions.agentId, expiresAt: sessions.expiresAt },
	(db, fields) =>
		db
			.select(fields)
			.from(sessions)
			.where(eq(sessions.tokenHash, sql.placeholder("tokenHash"))),
);

/** By SHA-256 of its token in hexadecimal. */
const knownSession = remembered("credentials", (store, tokenHash) =>
	sessionByToken(store).get({ tokenHash: Buffer.from(tokenHash, "hex") }),
);

/**
 * Who holds a direct key.
 * @throws ResortError `unauthorized` when the key is malformed, unknown, replaced, or its agent is gone
 */
export function authenticateKey(resort: Resort, apiKey: string): Caller {
	const parts = parseApiKey(apiKey);
	if (parts === null) throw failures.unauthorized(undefined);
	const { keyId, secret } = parts;
	const key = knownKey(resort.store, keyId);
	if (!secretMatches(secret, key?.secretHash) || key === undefined) {
		throw failures.unauthorized(undefined);
	}
	const agent = holder(resort, key);
	return { agent, credential: { kind: "key", keyId } };
}

/**
 * Whose session it is.
 * @throws ResortError `unauthorized` when the token is unknown, revoked or past its end, or its agent is gone
 */
export function authenticateSession(resort: Resort, token: string): Caller {
	const session = knownSession(resort.store, sha256(token).toHex());
	if (session === undefined || session.expiresAt <= resort.clock()) {
		throw failures.unauthorized(undefined);
	}
	const agent = holder(resort, session);
	return { agent, credential: { kind: "session", token } };
}

/**
 * Exchanges a key for a session (POST /api/session).
 * @returns the agent and the token, which is told this once
 * @throws ResortError `unauthorized`
 */
export function createSession(
	resort: Resort,
	apiKey: string,
): Promise<Session> {
	const { agent: known } = authenticateKey(resort, apiKey);
	touch(resort, known);
	return writeAs(resort, known.id, [], (db) => {
		// The key may have been replaced since; then so have its sessions.
		authenticateKey(resort, apiKey);
		const token = createSessionToken(resort.random);
		const createdAt = resort.clock();
		const ended = db
			.delete(sessions)
			.where(lte(sessions.expiresAt, createdAt))
			.returning({ agentId: sessions.agentId })
			.all();
		if (ended.length > 0) {
			resort.store.writer.changes.note(CREDENTIALS);
		}
		db.insert(sessions)
			.values({
				tokenHash: hashOf(token),
				agentId: known.id,
				createdAt,
				expiresAt: createdAt + SESSION_MS,
			})
			.run();
		const { lastActive } = known;
		return { agent: { ...getAgent(resort, known.id), lastActive }, token };
	});
}

/** Ends a session (DELETE /api/session). */
export async function revokeSession(
	{ store }: Resort,
	token: string,
): Promise<void> {
	await store.writer.write(
		() =>
			store.db
				.delete(sessions)
				.where(eq(sessions.tokenHash, hashOf(token)))
				.run(),
		CREDENTIALS,
	);
}

/** @throws ResortError `unauthorized` when the agent of a credential is gone */
function holder(
	{ store }: Resort,
	{ agentId }: { readonly agentId: string },
): KnownAgent {
	const agent = knownAgent(store, agentId);
	if (agent === undefined) throw failures.unauthorized(undefined);
	return agent;
}

function hashOf(token: string): Buffer {
	return Buffer.from(sha256(token));
}
