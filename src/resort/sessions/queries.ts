import { and, desc, eq, gt, isNull, lte, ne, or, sql } from "drizzle-orm";
import { query } from "../../store/query.ts";
import {
	countIn,
	deleteFrom,
	insertInto,
	selectFrom,
	setIn,
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
		lastUsedAt: sessions.lastUsedAt,
	},
	byToken,
);

/** Inserts a session. */
export const insertSession = insertInto(sessions);

/** Sets when a session was used, unless that was set less than `useMs` before. */
export const setLastUsed = setIn(
	sessions,
	["lastUsedAt"],
	and(
		byToken,
		or(
			isNull(sessions.lastUsedAt),
			// `abs`: the clock may have been set back.
			sql`abs(${sessions.lastUsedAt} - ${sql.placeholder("lastUsedAt")}) >= ${sql.placeholder("useMs")}`,
		),
	),
);

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

/** The sessions of an agent that have not expired by `nowMs`, newest first. An agent has few, which are sorted. */
export const openSessions = {
	rows: query(listed, (builder, fields) =>
		builder
			.select(fields)
			.from(sessions)
			.where(isOpen)
			.orderBy(desc(sessions.createdAt), desc(sessions.tokenHash))
			.limit(sql.placeholder("limit"))
			.offset(sql.placeholder("offset")),
	),
	count: countIn(sessions, isOpen),
};

/** Deletes the sessions of an agent except one, by the hash of its token. */
export const deleteOtherSessions = deleteFrom(
	sessions,
	and(
		eq(sessions.agentId, sql.placeholder("agentId")),
		ne(sessions.tokenHash, sql.placeholder("kept")),
	),
);

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
