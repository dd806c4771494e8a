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

/** The columns of an active agent that each of its calls needs. */
export const authenticatedAgentRow = query(
	{
		id: agents.id,
		lastActive: agents.lastActive,
		previousVisitEnd: agents.previousVisitEnd,
	},
	(builder, fields) => builder.select(fields).from(agents).where(isActive),
);

/** Locks an agent and all its data until the transaction ends. */
export const lockedAgent = query(
	{ deactivatedAt: agents.deactivatedAt },
	(builder, fields) =>
		builder.select(fields).from(agents).where(eq(agents.id, id)),
	true,
);

/** Inserts an agent. */
export const insertAgent = query(getTableColumns(agents), (builder, fields) =>
	builder
		.insert(agents)
		.values(placeholders("id", "createdAt", "newestStay", ...profileNames))
		.returning(fields),
);

/** Updates the whole profile of an agent. */
export const updateAgent = query(getTableColumns(agents), (builder, fields) =>
	builder
		.update(agents)
		.set(assignments(agents, ...profileNames))
		.where(eq(agents.id, id))
		.returning(fields),
);

/** Sets `lastActive`. If it was before `visitSince`, a new visit begins. */
export const setLastActive = query({}, (builder) =>
	builder
		.update(agents)
		.set({
			...assignments(agents, "lastActive"),
			previousVisitEnd: sql`case when ${agents.lastActive} < ${sql.placeholder("visitSince")} then ${agents.lastActive} else ${agents.previousVisitEnd} end`,
		})
		.where(eq(agents.id, id)),
);

/** Sets the stay that determines whether an agent is relaxing. */
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

/** Returns the `seq` of the newest row, for {@link activeBetween}. */
export const newestSeq = query(
	{ seq: sql<number | null>`${max(agents.seq)}` },
	(builder, fields) => builder.select(fields).from(agents),
);

/** Counts the active agents with a `seq` after `after`, up to `to`. */
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

/** Inserts the key of an agent that has none. */
export const insertKey = query({}, (builder) =>
	builder
		.insert(apiKeys)
		.values(placeholders("keyId", "agentId", "secretHash", "createdAt")),
);

/** Returns the agent of a key by `keyId`, and the SHA-256 of the secret. */
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

/** Deletes the key of an agent. */
export const deleteKey = query({}, (builder) =>
	builder.delete(apiKeys).where(eq(apiKeys.agentId, agentId)),
);

/** Deletes the sessions of an agent. */
export const deleteSessionsOf = query({}, (builder) =>
	builder.delete(sessions).where(eq(sessions.agentId, agentId)),
);

/** Deletes the sessions of an agent except one, by the hash of its token. */
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

/** Inserts the identity of an agent. */
export const insertIdentity = query({}, (builder) =>
	builder
		.insert(identities)
		.values(placeholders("issuer", "subject", "agentId", "createdAt")),
);
