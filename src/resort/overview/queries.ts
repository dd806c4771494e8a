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
import { selectFrom } from "../../store/table-queries.ts";
import {
	activityLog,
	agents,
	experiences,
	experienceVotes,
	postcards,
} from "../../store/tables.ts";

const agentId = sql.placeholder("agentId");
const since = sql.placeholder("since");

/** The caller's active experiences; the index of creators begins with `archivedAt`. */
const isOwn = and(
	isNull(experiences.archivedAt),
	eq(experiences.creatorId, agentId),
);

/** Postcards that others have sent to an agent alone after `since`, newest first. */
export const newPostcards = listQueries(
	{ ...getTableColumns(postcards), senderName: agents.name },
	{
		table: postcards,
		where: and(
			eq(postcards.recipientId, agentId),
			gt(postcards.createdAt, since),
			ne(postcards.senderId, agentId),
			isNull(postcards.hiddenAt),
		),
		order: [postcards.createdAt],
		joins: [{ table: agents, on: eq(agents.id, postcards.senderId) }],
	},
);

/** Votes of others on the experiences of an agent after `since`, newest first. */
export const newVotes = listQueries(
	{ ...getTableColumns(experienceVotes), agentName: agents.name },
	{
		table: experienceVotes,
		where: and(
			isOwn,
			gt(experienceVotes.createdAt, since),
			ne(experienceVotes.agentId, agentId),
		),
		order: [experienceVotes.createdAt],
		filterJoins: [
			{
				table: experiences,
				on: eq(experienceVotes.experienceId, experiences.id),
			},
		],
		joins: [{ table: agents, on: eq(agents.id, experienceVotes.agentId) }],
	},
);

/** Completions of the experiences of an agent by others after `since`, newest first. */
export const newCompletions = listQueries(
	{
		experienceId: experiences.id,
		experienceName: sql<string>`${experiences.name}`,
		agentId: activityLog.agentId,
		agentName: sql<string>`${agents.name}`,
		startedAt: activityLog.startedAt,
	},
	{
		table: activityLog,
		where: and(
			isOwn,
			gt(activityLog.startedAt, since),
			ne(activityLog.agentId, agentId),
		),
		order: [activityLog.startedAt],
		filterJoins: [
			{ table: experiences, on: eq(activityLog.experienceId, experiences.id) },
		],
		joins: [{ table: agents, on: eq(agents.id, activityLog.agentId) }],
	},
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
