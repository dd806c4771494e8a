import { and, eq, getTableColumns, gt, isNull, ne, sql } from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import type { Fields, TableColumn } from "../../store/query.ts";
import { activityLog, agents, experiences, experienceVotes } from "../../store/tables.ts";

const agentId = sql.placeholder("agentId");
const since = sql.placeholder("since");

/** Selects an agent's active experiences. Uses the first columns of the index `experiences_by_creator`. */
const isOwn = and(isNull(experiences.archivedAt), eq(experiences.creatorId, agentId));

/**
 * Creates the queries for a list of what other agents did with an agent's experiences after `since`: votes or
 * completions, depending on `table`. The newest come first.
 */
const withOwn = <F extends Fields>(
	fields: F,
	table: typeof experienceVotes | typeof activityLog,
	at: TableColumn,
) =>
	listQueries(fields, {
		table,
		where: and(isOwn, gt(at, since), ne(table.agentId, agentId)),
		order: [at],
		filterJoins: [{ table: experiences, on: eq(table.experienceId, experiences.id) }],
		joins: [{ table: agents, on: eq(agents.id, table.agentId) }],
	});

/** The votes by other agents for an agent's experiences, newest first. */
export const newVotes = withOwn(
	{
		...getTableColumns(experienceVotes),
		agentName: agents.name,
		experienceName: sql<string>`${experiences.name}`,
	},
	experienceVotes,
	experienceVotes.createdAt,
);

/** Other agents' completions of an agent's experiences, newest first. */
export const newCompletions = withOwn(
	{
		experienceId: experiences.id,
		experienceName: sql<string>`${experiences.name}`,
		agentId: activityLog.agentId,
		agentName: sql<string>`${agents.name}`,
		startedAt: activityLog.startedAt,
	},
	activityLog,
	activityLog.startedAt,
);
