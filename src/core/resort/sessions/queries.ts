import { and, desc, eq, gt, lte, ne, sql } from "drizzle-orm";
import type { Row } from "../../store/query.ts";
import { countIn, deleteFrom, insertInto, selectFrom, setIn } from "../../store/table-queries.ts";
import { sessions } from "../../store/tables.ts";

const byToken = eq(sessions.tokenHash, sql.placeholder("tokenHash"));

/** Returns a session. `sealedKey` is null if the session was created with a key of the resort itself. */
export const sessionByToken = selectFrom(
	sessions,
	{
		agentId: sessions.agentId,
		expiresAt: sessions.expiresAt,
		sealedKey: sql<Uint8Array | null>`${sessions.sealedKey}`,
		lastUsedAt: sessions.lastUsedAt,
	},
	byToken,
);

/** Inserts a session. */
export const insertSession = insertInto(sessions);

/** Updates the time of a session's last use. */
export const setLastUsed = setIn(sessions, ["lastUsedAt"], byToken);

const isOpen = and(
	eq(sessions.agentId, sql.placeholder("agentId")),
	gt(sessions.expiresAt, sql.placeholder("nowMs")),
);

const listed = {
	tokenHash: sql<Uint8Array>`${sessions.tokenHash}`,
	createdAt: sessions.createdAt,
	lastUsedAt: sessions.lastUsedAt,
	expiresAt: sessions.expiresAt,
};

/** A session in a list. */
export type OpenSession = Row<typeof listed>;

/**
 * Returns the sessions of an agent that have not expired at `nowMs`, newest first. No index is needed,
 * because an agent has few sessions.
 */
export const openSessions = {
	rows: selectFrom(sessions, listed, isOpen, {
		orderBy: [desc(sessions.createdAt), desc(sessions.tokenHash)],
		limit: sql.placeholder("limit"),
		offset: sql.placeholder("offset"),
	}),
	count: countIn(sessions, isOpen),
};

/** Deletes all sessions of an agent except the one with the given token hash. */
export const deleteOtherSessions = deleteFrom(
	sessions,
	and(eq(sessions.agentId, sql.placeholder("agentId")), ne(sessions.tokenHash, sql.placeholder("kept"))),
);

/** Deletes a session. */
export const deleteSession = deleteFrom(sessions, byToken);

/** Deletes the sessions that have expired at `nowMs`. */
export const deleteExpired = deleteFrom(sessions, lte(sessions.expiresAt, sql.placeholder("nowMs")), {
	agentId: sessions.agentId,
});
