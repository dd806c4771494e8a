import {
	and,
	desc,
	eq,
	getTableColumns,
	gt,
	gte,
	isNull,
	ne,
	sql,
} from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import type { Fields, TableColumn } from "../../store/query.ts";
import { selectFrom } from "../../store/table-queries.ts";
import {
	activityLog,
	agents,
	experiences,
	experienceVotes,
	postcards,
} from "../../store/tables.ts";
import { isNotBlocked } from "../blocks/queries.ts";
import { answeredAt } from "../postcards/queries.ts";

const agentId = sql.placeholder("agentId");
const since = sql.placeholder("since");

/** The caller's active experiences. `archivedAt` comes first, as in the index on creators. */
const isOwn = and(
	isNull(experiences.archivedAt),
	eq(experiences.creatorId, agentId),
);

/**
 * The private postcards that an agent received from other agents after `since`, newest first. Hidden postcards and
 * postcards from blocked agents are omitted.
 */
export const newPostcards = listQueries(
	{ ...getTableColumns(postcards), senderName: agents.name, answeredAt },
	{
		table: postcards,
		where: and(
			eq(postcards.recipientId, agentId),
			gt(postcards.createdAt, since),
			ne(postcards.senderId, agentId),
			isNull(postcards.hiddenAt),
			isNotBlocked(postcards.senderId),
		),
		order: [postcards.createdAt],
		joins: [{ table: agents, on: eq(agents.id, postcards.senderId) }],
	},
);

/** Creates the queries for what others have done with an agent's experiences after `since`, newest first. */
const withOwn = <F extends Fields>(
	fields: F,
	table: typeof experienceVotes | typeof activityLog,
	at: TableColumn,
) =>
	listQueries(fields, {
		table,
		where: and(isOwn, gt(at, since), ne(table.agentId, agentId)),
		order: [at],
		filterJoins: [
			{ table: experiences, on: eq(table.experienceId, experiences.id) },
		],
		joins: [{ table: agents, on: eq(agents.id, table.agentId) }],
	});

/** Votes for the agent's experiences. */
export const newVotes = withOwn(
	{
		...getTableColumns(experienceVotes),
		agentName: agents.name,
		experienceName: sql<string>`${experiences.name}`,
	},
	experienceVotes,
	experienceVotes.createdAt,
);

/** Completions of the agent's experiences. */
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

/**
 * The completions during a stay, newest first. The condition on `startedAt` excludes no completion, but makes the query
 * faster.
 */
export const logOfStay = selectFrom(
	activityLog,
	getTableColumns(activityLog),
	and(
		eq(activityLog.agentId, agentId),
		gte(activityLog.startedAt, sql.placeholder("checkedInAt")),
		eq(activityLog.stayId, sql.placeholder("stayId")),
	),
	{
		orderBy: [desc(activityLog.startedAt), desc(activityLog.seq)],
		limit: sql.placeholder("limit"),
	},
);
