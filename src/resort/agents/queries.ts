import {
	and,
	count,
	eq,
	getTableColumns,
	gt,
	isNull,
	lte,
	max,
	ne,
	sql,
} from "drizzle-orm";
import { assignments, placeholders, query } from "../../store/query.ts";
import { agents, apiKeys, identities, sessions } from "../../store/tables.ts";
import { profileNames } from "./model.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");

const isActive = and(eq(agents.id, id), isNull(agents.deactivatedAt));

/** An agent that has not been deactivated, by its `id`. */
export const activeAgent = query(getTableColumns(agents), (builder, fields) =>
	builder.select(fields).from(agents).where(isActive),
);

/** Of such an agent, only what each of its calls needs. */
export const authenticatedAgentRow = query(
	{
		id: agents.id,
		lastActive: agents.lastActive,
		previousVisitEnd: agents.previousVisitEnd,
	},
	(builder, fields) => builder.select(fields).from(agents).where(isActive),
);

/** Keeps an agent, and all that is its own, from other changes until the end of this one. */
export const lockedAgent = query(
	{ deactivatedAt: agents.deactivatedAt },
	(builder, fields) =>
		builder.select(fields).from(agents).where(eq(agents.id, id)),
	true,
);

/** Makes an agent. */
export const insertAgent = query(getTableColumns(agents), (builder, fields) =>
	builder
		.insert(agents)
		.values(placeholders("id", "createdAt", "newestStay", ...profileNames))
		.returning(fields),
);

/** Writes the whole profile of an agent anew. */
export const updateAgent = query(getTableColumns(agents), (builder, fields) =>
	builder
		.update(agents)
		.set(assignments(agents, ...profileNames))
		.where(eq(agents.id, id))
		.returning(fields),
);

/** Moves `lastActive`. When it stood before `visitSince`, the visit before ended then, and a new one begins. */
export const setLastActive = query({}, (builder) =>
	builder
		.update(agents)
		.set({
			...assignments(agents, "lastActive"),
			previousVisitEnd: sql`case when ${agents.lastActive} < ${sql.placeholder("visitSince")} then ${agents.lastActive} else ${agents.previousVisitEnd} end`,
		})
		.where(eq(agents.id, id)),
);

/** Notes which stay tells whether an agent is relaxing. */
export const setNewestStay = query({}, (builder) =>
	builder
		.update(agents)
		.set(assignments(agents, "newestStay"))
		.where(eq(agents.id, id)),
);

/** Deactivates an agent. */
export const setDeactivated = query({}, (builder) =>
	builder
		.update(agents)
		.set(assignments(agents, "deactivatedAt"))
		.where(eq(agents.id, id)),
);

/** The number of the newest row, for {@link activeBetween}. */
export const newestSeq = query(
	{ seq: sql<number | null>`${max(agents.seq)}` },
	(builder, fields) => builder.select(fields).from(agents),
);

/** How many agents are active among the rows after number `after`, up to number `to`. */
export const activeBetween = query(
	{ count: sql<number>`${count()}` },
	(builder, fields) =>
		builder
			.select(fields)
			.from(agents)
			.where(
				and(
					gt(agents.seq, sql.placeholder("after")),
					lte(agents.seq, sql.placeholder("to")),
					isNull(agents.deactivatedAt),
				),
			),
);

/** Gives an agent without a key its key. */
export const insertKey = query({}, (builder) =>
	builder
		.insert(apiKeys)
		.values(placeholders("keyId", "agentId", "secretHash", "createdAt")),
);

/** Whose key it is, by its `keyId`, and SHA-256 of its secret. */
export const keyById = query(
	{
		agentId: apiKeys.agentId,
		secretHash: sql<Uint8Array>`${apiKeys.secretHash}`,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(apiKeys)
			.where(eq(apiKeys.keyId, sql.placeholder("keyId"))),
);

/** The key of an agent. */
export const keyOfAgent = query({ keyId: apiKeys.keyId }, (builder, fields) =>
	builder.select(fields).from(apiKeys).where(eq(apiKeys.agentId, agentId)),
);

/** Ends the key of an agent. */
export const deleteKey = query({}, (builder) =>
	builder.delete(apiKeys).where(eq(apiKeys.agentId, agentId)),
);

/** Ends the sessions of an agent. */
export const deleteSessionsOf = query({}, (builder) =>
	builder.delete(sessions).where(eq(sessions.agentId, agentId)),
);

/** Ends the sessions of an agent but for one, by the hash of its token. */
export const deleteOtherSessions = query({}, (builder) =>
	builder
		.delete(sessions)
		.where(
			and(
				eq(sessions.agentId, agentId),
				ne(sessions.tokenHash, sql.placeholder("kept")),
			),
		),
);

/** The agent of an identity. */
export const agentOfIdentity = query(
	{ agentId: identities.agentId },
	(builder, fields) =>
		builder
			.select(fields)
			.from(identities)
			.where(
				and(
					eq(identities.issuer, sql.placeholder("issuer")),
					eq(identities.subject, sql.placeholder("subject")),
				),
			),
);

/** Ties an agent to its identity. */
export const insertIdentity = query({}, (builder) =>
	builder
		.insert(identities)
		.values(placeholders("issuer", "subject", "agentId", "createdAt")),
);
