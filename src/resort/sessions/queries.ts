import { and, eq, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { placeholders, query } from "../../store/query.ts";
import { sessions } from "../../store/tables.ts";

const byToken = eq(sessions.tokenHash, sql.placeholder("tokenHash"));

/** Returns a session that was created with a direct key. */
export const directSession = query(
	{ agentId: sessions.agentId, expiresAt: sessions.expiresAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(sessions)
			.where(and(byToken, isNull(sessions.sealedKey))),
);

/** Returns a session that was created with a central key, with the sealed key. */
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

/** Inserts a session. */
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

/** Deletes a session. */
export const deleteSession = query(
	{ agentId: sessions.agentId },
	(builder, fields) =>
		builder.delete(sessions).where(byToken).returning(fields),
);

/** Deletes the sessions that have expired by `nowMs`. */
export const deleteExpired = query(
	{ agentId: sessions.agentId },
	(builder, fields) =>
		builder
			.delete(sessions)
			.where(lte(sessions.expiresAt, sql.placeholder("nowMs")))
			.returning(fields),
);
