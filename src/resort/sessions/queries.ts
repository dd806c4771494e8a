import { eq, lte, sql } from "drizzle-orm";
import { placeholders, question } from "../../store/question.ts";
import { sessions } from "../../store/tables.ts";

const byToken = eq(sessions.tokenHash, sql.placeholder("tokenHash"));

/** Whose session it is, by SHA-256 of its token, and when it ends. */
export const sessionByToken = question(
	{ agentId: sessions.agentId, expiresAt: sessions.expiresAt },
	(builder, fields) => builder.select(fields).from(sessions).where(byToken),
);

/** Begins a session. */
export const insertSession = question({}, (builder) =>
	builder
		.insert(sessions)
		.values(placeholders("tokenHash", "agentId", "createdAt", "expiresAt")),
);

/** Ends a session. */
export const deleteSession = question(
	{ agentId: sessions.agentId },
	(builder, fields) =>
		builder.delete(sessions).where(byToken).returning(fields),
);

/** Forgets the sessions that have ended by `nowMs`. */
export const deleteEndedSessions = question(
	{ agentId: sessions.agentId },
	(builder, fields) =>
		builder
			.delete(sessions)
			.where(lte(sessions.expiresAt, sql.placeholder("nowMs")))
			.returning(fields),
);
