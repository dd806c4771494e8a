import { and, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
	type Agent,
	getAgent,
	type KnownAgent,
	touch,
	writeAs,
} from "../agents/service.ts";
import { direct } from "../database/open.ts";
import { remembered } from "../database/remembered.ts";
import { agents, apiKeys, sessions } from "../database/tables.ts";
import { failures } from "../errors.ts";
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

/**
 * A statement that finds the active agent of a credential, and something of the credential's row.
 * Both are one statement, as each takes a lock of its own; with subqueries it is faster than as a join.
 */
const holderBy = <Proof>(
	table: typeof apiKeys | typeof sessions,
	proof: SQLiteColumn,
	condition: SQL,
) =>
	direct(
		{
			id: agents.id,
			lastActive: agents.lastActive,
			proof: sql<Proof>`(select ${proof} from ${table} where ${condition})`,
		},
		(db, fields) =>
			db
				.select(fields)
				.from(agents)
				.where(
					and(
						sql`${agents.id} = (select ${table.agentId} from ${table} where ${condition})`,
						isNull(agents.deactivatedAt),
					),
				),
	);

const keyRow = holderBy<Uint8Array>(
	apiKeys,
	apiKeys.secretHash,
	eq(apiKeys.keyId, sql.placeholder("keyId")),
);

const sessionRow = holderBy<number>(
	sessions,
	sessions.expiresAt,
	eq(sessions.tokenHash, sql.placeholder("tokenHash")),
);

/** Who holds the key of an id, and SHA-256 of its secret. */
const holderOfKey = remembered("credentials", (store, keyId) =>
	toHolder(keyRow(store).get({ keyId })),
);

/** Whose session it is, by SHA-256 of its token in hexadecimal, and when it ends. */
const holderOfSession = remembered("credentials", (store, tokenHash) =>
	toHolder(sessionRow(store).get({ tokenHash: Buffer.from(tokenHash, "hex") })),
);

function toHolder<Row extends KnownAgent & { readonly proof: unknown }>(
	row: Row | undefined,
): { agent: KnownAgent; proof: Row["proof"] } | undefined {
	if (row === undefined) return undefined;
	const { id, lastActive, proof } = row;
	return { agent: { id, lastActive }, proof };
}

/**
 * Who holds a direct key.
 * @throws ResortError `unauthorized` when the key is malformed, unknown, replaced, or its agent is gone
 */
export function authenticateKey(resort: Resort, apiKey: string): Caller {
	const parts = parseApiKey(apiKey);
	if (parts === null) throw failures.unauthorized(undefined);
	const { keyId, secret } = parts;
	const holder = holderOfKey(resort.store, keyId);
	if (!secretMatches(secret, holder?.proof) || holder === undefined) {
		throw failures.unauthorized(undefined);
	}
	return { agent: holder.agent, credential: { kind: "key", keyId } };
}

/**
 * Whose session it is.
 * @throws ResortError `unauthorized` when the token is unknown, revoked or past its end, or its agent is gone
 */
export function authenticateSession(resort: Resort, token: string): Caller {
	const holder = holderOfSession(resort.store, sha256(token).toHex());
	if (holder === undefined || holder.proof <= resort.clock()) {
		throw failures.unauthorized(undefined);
	}
	return { agent: holder.agent, credential: { kind: "session", token } };
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
			resort.store.writer.changes.note({ topics: ["credentials"], agents: [] });
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
		{ topics: ["credentials"], agents: [] },
	);
}

function hashOf(token: string): Buffer {
	return Buffer.from(sha256(token));
}
