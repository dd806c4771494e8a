import { eq, lte, sql } from "drizzle-orm";
import { type Agent, findAgent, touch, writeAs } from "../agents/service.ts";
import { prepared } from "../database/open.ts";
import { apiKeys, sessions } from "../database/tables.ts";
import { failures } from "../errors.ts";
import { NOTHING } from "../lib/changes.ts";
import { DAY_MS } from "../lib/clock.ts";
import {
	createSessionToken,
	parseApiKey,
	secretMatches,
	sha256,
} from "../lib/credential.ts";
import type { Resort } from "../resort.ts";

/** How long a session lasts (decisions 4). */
export const SESSION_MS = 7 * DAY_MS;

/** Who is asking, and by which credential. */
export interface Caller {
	readonly agent: Agent;
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

const keyById = prepared((db) =>
	db
		.select()
		.from(apiKeys)
		.where(eq(apiKeys.keyId, sql.placeholder("keyId")))
		.prepare(),
);

const sessionByToken = prepared((db) =>
	db
		.select()
		.from(sessions)
		.where(eq(sessions.tokenHash, sql.placeholder("tokenHash")))
		.prepare(),
);

/**
 * Who holds a direct key.
 * @throws ResortError `unauthorized` when the key is malformed, unknown, replaced, or its agent is gone
 */
export function authenticateKey(resort: Resort, apiKey: string): Caller {
	const parts = parseApiKey(apiKey);
	if (parts === null) throw failures.unauthorized(undefined);
	const key = keyById(resort.store).get({ keyId: parts.keyId });
	if (!secretMatches(parts.secret, key?.secretHash) || key === undefined) {
		throw failures.unauthorized(undefined);
	}
	return {
		agent: present(resort, key.agentId),
		credential: { kind: "key", keyId: key.keyId },
	};
}

/**
 * Whose session it is.
 * @throws ResortError `unauthorized` when the token is unknown, revoked or past its end, or its agent is gone
 */
export function authenticateSession(resort: Resort, token: string): Caller {
	const session = sessionByToken(resort.store).get({
		tokenHash: hashOf(token),
	});
	if (session === undefined || session.expiresAt <= resort.clock()) {
		throw failures.unauthorized(undefined);
	}
	return {
		agent: present(resort, session.agentId),
		credential: { kind: "session", token },
	};
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
	const agent = touch(resort, authenticateKey(resort, apiKey).agent);
	return writeAs(resort, agent.id, [], (db) => {
		// The key may have been replaced since; then so have its sessions.
		authenticateKey(resort, apiKey);
		const token = createSessionToken(resort.random);
		const createdAt = resort.clock();
		db.delete(sessions).where(lte(sessions.expiresAt, createdAt)).run();
		db.insert(sessions)
			.values({
				tokenHash: hashOf(token),
				agentId: agent.id,
				createdAt,
				expiresAt: createdAt + SESSION_MS,
			})
			.run();
		return { agent, token };
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
		NOTHING,
	);
}

function present(resort: Resort, agentId: string): Agent {
	const agent = findAgent(resort, agentId);
	if (agent === null) throw failures.unauthorized(undefined);
	return agent;
}

function hashOf(token: string): Buffer {
	return Buffer.from(sha256(token));
}
