import { and, eq, getTableColumns, gt, isNull, lte, max, sql } from "drizzle-orm";
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
import { agents, apiKeys, sessions } from "../../store/tables.ts";
import { profileNames } from "./model.ts";

const agentId = sql.placeholder("agentId");

const byId = eq(agents.id, sql.placeholder("id"));
const isActive = and(byId, isNull(agents.deactivatedAt));

/** Selects an agent by `id`, unless it is deactivated. */
export const activeAgent = selectFrom(agents, getTableColumns(agents), isActive);

/** Selects the columns of an agent that authentication needs, unless the agent is deactivated. */
export const authenticatedAgentRow = selectFrom(
	agents,
	{ id: agents.id, lastActive: agents.lastActive, previousVisitEnd: agents.previousVisitEnd },
	isActive,
);

/**
 * Returns `deactivatedAt` of an agent. Except on SQLite, locks the agent's row until the transaction ends.
 */
export const lockedAgent = selectFrom(agents, { deactivatedAt: agents.deactivatedAt }, byId, { locks: true });

/** Inserts an agent. */
export const insertAgent = insertReturning(
	agents,
	"lastActive",
	"previousVisitEnd",
	"deactivatedAt",
	"textsHiddenAt",
);

/** Updates all columns of an agent's profile. */
export const updateAgent = setIn(agents, profileNames, byId, getTableColumns(agents));

/** Updates `lastActive` and `previousVisitEnd` of an agent. */
export const setVisit = setIn(agents, ["lastActive", "previousVisitEnd"], byId);

/** Sets the agent's newest stay, which determines whether the agent is relaxing. */
export const setNewestStay = setIn(agents, ["newestStay"], byId);

const stayMs = sql.placeholder("stayMs");

/** Adds a closed stay to the totals of its agent, and sets `newestStay`. */
export const countClosedStay = updateIn(
	agents,
	{
		...assignments(agents, "newestStay"),
		restPoints: sql`${agents.restPoints} + ${sql.placeholder("relaxationPoints")}`,
		longestStayMs: sql`case when ${agents.longestStayMs} < ${stayMs} then ${stayMs} else ${agents.longestStayMs} end`,
	},
	byId,
);

/** Deactivates an agent. */
export const setDeactivated = setIn(agents, ["deactivatedAt"], byId);

/** Returns the `seq` of the newest agent, which is the upper bound `to` for {@link activeBetween}. */
export const newestSeq = selectFrom(agents, { seq: sql<number | null>`${max(agents.seq)}` });

/** Counts the active agents whose `seq` is greater than `after` and at most `to`. */
export const activeBetween = countIn(
	agents,
	and(
		gt(agents.seq, sql.placeholder("after")),
		lte(agents.seq, sql.placeholder("to")),
		isNull(agents.deactivatedAt),
	),
);

/** Inserts a key for an agent that has none. */
export const insertKey = insertInto(apiKeys);

/** Returns the agent and the SHA-256 hash of the secret for a `keyId`. */
export const keyById = selectFrom(
	apiKeys,
	{ agentId: apiKeys.agentId, secretHash: sql<Uint8Array>`${apiKeys.secretHash}` },
	eq(apiKeys.keyId, sql.placeholder("keyId")),
);

/** Returns the `keyId` and the creation time of an agent's key, not the secret. */
export const keyOfAgent = selectFrom(
	apiKeys,
	{ keyId: apiKeys.keyId, createdAt: apiKeys.createdAt },
	eq(apiKeys.agentId, agentId),
);

/** Deletes the key of an agent. */
export const deleteKey = deleteFrom(apiKeys, eq(apiKeys.agentId, agentId));

/** Deletes the sessions of an agent. */
export const deleteSessionsOf = deleteFrom(sessions, eq(sessions.agentId, agentId));
