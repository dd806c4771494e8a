import { and, eq, isNotNull, isNull, lte, sql } from "drizzle-orm";
import {
	deleteFrom,
	insertInto,
	selectFrom,
} from "../../store/table-queries.ts";
import { sessions } from "../../store/tables.ts";

const byToken = eq(sessions.tokenHash, sql.placeholder("tokenHash"));

/** Returns a session that was created with a direct key. */
export const directSession = selectFrom(
	sessions,
	{ agentId: sessions.agentId, expiresAt: sessions.expiresAt },
	and(byToken, isNull(sessions.sealedKey)),
);

/** Returns a session that was created with a central key, with the sealed key. */
export const centralSession = selectFrom(
	sessions,
	{
		agentId: sessions.agentId,
		expiresAt: sessions.expiresAt,
		sealedKey: sql<Uint8Array>`${sessions.sealedKey}`,
	},
	and(byToken, isNotNull(sessions.sealedKey)),
);

/** Inserts a session. */
export const insertSession = insertInto(sessions, "lastUsedAt");

/** Deletes a session. */
export const deleteSession = deleteFrom(sessions, byToken, {
	agentId: sessions.agentId,
});

/** Deletes the sessions that have expired by `nowMs`. */
export const deleteExpired = deleteFrom(
	sessions,
	lte(sessions.expiresAt, sql.placeholder("nowMs")),
	{ agentId: sessions.agentId },
);
