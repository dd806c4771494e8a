import { and, eq, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { placeholders, query } from "../../store/query.ts";
import { sessions } from "../../store/tables.ts";

const byToken = eq(sessions.tokenHash, sql.placeholder("tokenHash"));

/** Whose session it is that a direct key made, by SHA-256 of its token, and when it ends. */
export const directSession = query(
	{ agentId: sessions.agentId, expiresAt: sessions.expiresAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(sessions)
			.where(and(byToken, isNull(sessions.sealedKey))),
);

/** The same of a session that a central key made, with the sealed key. */
export const centralSession = query(
	{
		agentId: sessions.agentId,
		expiresAt: sessions.expiresAt,
		sealedKey: sql<Uint8Array>`${sessions.sealedKey}`,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(sessions)
			.where(and(byToken, isNotNull(sessions.sealedKey))),
);

/** Begins a session. */
export const insertSession = query({}, (builder) =>
	builder
		.insert(sessions)
		.values(
			placeholders(
				"tokenHash",
				"agentId",
				"createdAt",
				"expiresAt",
				"sealedKey",
			),
		),
);

/** Ends a session. */
export const deleteSession = query(
	{ agentId: sessions.agentId },
	(builder, fields) =>
		builder.delete(sessions).where(byToken).returning(fields),
);

/** Forgets the sessions that have ended by `nowMs`. */
export const deleteEndedSessions = query(
	{ agentId: sessions.agentId },
	(builder, fields) =>
		builder
			.delete(sessions)
			.where(lte(sessions.expiresAt, sql.placeholder("nowMs")))
			.returning(fields),
);
