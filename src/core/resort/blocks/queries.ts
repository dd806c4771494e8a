import { and, eq, notExists, type SQL, sql } from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import { builder, type TableColumn } from "../../store/query.ts";
import { countIn, deleteFrom, insertInto, selectFrom } from "../../store/table-queries.ts";
import { agents, blocks } from "../../store/tables.ts";

const isOfAgent = eq(blocks.agentId, sql.placeholder("agentId"));

const isPair = and(isOfAgent, eq(blocks.blockedId, sql.placeholder("blockedId")));

/** Returns the time at which the agent `agentId` blocked the agent `blockedId`; no row if it has not. */
export const blockOf = selectFrom(blocks, { createdAt: blocks.createdAt }, isPair);

/** Counts the agents that an agent has blocked. */
export const countBlocked = countIn(blocks, isOfAgent);

/** Inserts a block. */
export const insertBlock = insertInto(blocks);

/** Deletes a block. */
export const deleteBlock = deleteFrom(blocks, isPair, { seq: blocks.seq });

/** Returns the agents that an agent has blocked, newest first. */
export const blockedBy = listQueries(
	{ agentId: blocks.blockedId, agentName: agents.name, createdAt: blocks.createdAt },
	{
		table: blocks,
		where: isOfAgent,
		order: [blocks.createdAt],
		joins: [{ table: agents, on: eq(agents.id, blocks.blockedId) }],
	},
);

/**
 * Returns the condition that the agent `agentId` (a placeholder) has not blocked the agent whose id is in
 * `column`.
 */
export function isNotBlocked(column: TableColumn): SQL {
	return notExists(
		builder
			.select({ id: blocks.blockedId })
			.from(blocks)
			.where(and(isOfAgent, eq(blocks.blockedId, column))),
	);
}
