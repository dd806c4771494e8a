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

/** The caller's active experiences; the index of creators begins with `archivedAt`. */
const isOwn = and(
	isNull(experiences.archivedAt),
	eq(experiences.creatorId, agentId),
);

/** Postcards that others, whom it has not blocked, have sent to an agent alone after `since`, newest first. */
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

/** Returns the queries of what others did with the experiences of an agent after `since`, newest first. */
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

/** Votes for the experiences of an agent. */
export const newVotes = withOwn(
	{ ...getTableColumns(experienceVotes), agentName: agents.name },
	experienceVotes,
	experienceVotes.createdAt,
);

/** Completions of the experiences of an agent. */
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

/** The completions of a stay, newest first; none began before the stay. */
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
