import {
	and,
	eq,
	getTableColumns,
	gt,
	isNull,
	lte,
	max,
	sql,
} from "drizzle-orm";
import { assignments } from "../../store/query.ts";
import {
	countIn,
	deleteFrom,
	insertInto,
	insertReturning,
	selectFrom,
	setIn,
	updateIn,
} from "../../store/table-queries.ts";
import { agents, apiKeys, identities, sessions } from "../../store/tables.ts";
import { profileNames } from "./model.ts";

const agentId = sql.placeholder("agentId");

const byId = eq(agents.id, sql.placeholder("id"));
const isActive = and(byId, isNull(agents.deactivatedAt));

/** An agent that has not been deactivated, by its `id`. */
export const activeAgent = selectFrom(
	agents,
	getTableColumns(agents),
	isActive,
);

/** The columns of an active agent that each of its calls needs. */
export const authenticatedAgentRow = selectFrom(
	agents,
	{
		id: agents.id,
		lastActive: agents.lastActive,
		previousVisitEnd: agents.previousVisitEnd,
	},
	isActive,
);

/** Locks an agent and all its data until the transaction ends. */
export const lockedAgent = selectFrom(
	agents,
	{ deactivatedAt: agents.deactivatedAt },
	byId,
	{ locks: true },
);

/** Inserts an agent. */
export const insertAgent = insertReturning(
	agents,
	"lastActive",
	"previousVisitEnd",
	"deactivatedAt",
	"textsHiddenAt",
);

/** Updates the whole profile of an agent. */
export const updateAgent = setIn(
	agents,
	profileNames,
	byId,
	getTableColumns(agents),
);

/** Sets `lastActive`. If it was before `visitSince`, a new visit begins. */
export const setLastActive = updateIn(
	agents,
	{
		...assignments(agents, "lastActive"),
		previousVisitEnd: sql`case when ${agents.lastActive} < ${sql.placeholder("visitSince")} then ${agents.lastActive} else ${agents.previousVisitEnd} end`,
	},
	byId,
);

/** Sets the stay that determines whether an agent is relaxing. */
export const setNewestStay = setIn(agents, ["newestStay"], byId);

/** Deactivates an agent. */
export const setDeactivated = setIn(agents, ["deactivatedAt"], byId);

/** Returns the `seq` of the newest row, for {@link activeBetween}. */
export const newestSeq = selectFrom(agents, {
	seq: sql<number | null>`${max(agents.seq)}`,
});

/** Counts the active agents with a `seq` after `after`, up to `to`. */
export const activeBetween = countIn(
	agents,
	and(
		gt(agents.seq, sql.placeholder("after")),
		lte(agents.seq, sql.placeholder("to")),
		isNull(agents.deactivatedAt),
	),
);

/** Inserts the key of an agent that has none. */
export const insertKey = insertInto(apiKeys);

/** Returns the agent of a key by `keyId`, and the SHA-256 of the secret. */
export const keyById = selectFrom(
	apiKeys,
	{
		agentId: apiKeys.agentId,
		secretHash: sql<Uint8Array>`${apiKeys.secretHash}`,
	},
	eq(apiKeys.keyId, sql.placeholder("keyId")),
);

/** The key of an agent, without its secret. */
export const keyOfAgent = selectFrom(
	apiKeys,
	{ keyId: apiKeys.keyId, createdAt: apiKeys.createdAt },
	eq(apiKeys.agentId, agentId),
);

/** Deletes the key of an agent. */
export const deleteKey = deleteFrom(apiKeys, eq(apiKeys.agentId, agentId));

/** Deletes the sessions of an agent. */
export const deleteSessionsOf = deleteFrom(
	sessions,
	eq(sessions.agentId, agentId),
);

/** The agent of an identity. */
export const agentOfIdentity = selectFrom(
	identities,
	{ agentId: identities.agentId },
	and(
		eq(identities.issuer, sql.placeholder("issuer")),
		eq(identities.subject, sql.placeholder("subject")),
	),
);

/** Inserts the identity of an agent. */
export const insertIdentity = insertInto(identities);
