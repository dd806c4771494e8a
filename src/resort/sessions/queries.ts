import { eq, lte, sql } from "drizzle-orm";
import {
	deleteFrom,
	insertInto,
	selectFrom,
} from "../../store/table-queries.ts";
import { sessions } from "../../store/tables.ts";

const byToken = eq(sessions.tokenHash, sql.placeholder("tokenHash"));

/** Returns a session; `sealedKey` is null if it was created with a direct key. */
export const sessionByToken = selectFrom(
	sessions,
	{
		agentId: sessions.agentId,
		expiresAt: sessions.expiresAt,
		sealedKey: sql<Uint8Array | null>`${sessions.sealedKey}`,
	},
	byToken,
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
