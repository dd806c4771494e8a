import {
	and,
	count,
	desc,
	eq,
	getTableColumns,
	gt,
	gte,
	isNull,
	ne,
	sql,
} from "drizzle-orm";
import { query } from "../../store/query.ts";
import {
	activityLog,
	agents,
	experiences,
	experienceVotes,
	postcards,
} from "../../store/tables.ts";

const agentId = sql.placeholder("agentId");
const since = sql.placeholder("since");
const limit = sql.placeholder("limit");

const counted = { count: sql<number>`${count()}` };

/** The caller's active experiences; the index of creators begins with `archivedAt`. */
const isOwn = and(
	isNull(experiences.archivedAt),
	eq(experiences.creatorId, agentId),
);

const isNewPostcard = and(
	eq(postcards.recipientId, agentId),
	gt(postcards.createdAt, since),
	ne(postcards.senderId, agentId),
	isNull(postcards.hiddenAt),
);

/** Postcards that others have sent to an agent alone after `since`, newest first. */
export const newPostcards = query(
	{ ...getTableColumns(postcards), senderName: agents.name },
	(builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.where(isNewPostcard)
			.orderBy(desc(postcards.createdAt), desc(postcards.seq))
			.limit(limit),
);

/** Counts {@link newPostcards}. */
export const newPostcardCount = query(counted, (builder, fields) =>
	builder.select(fields).from(postcards).where(isNewPostcard),
);

const isNewVote = and(
	isOwn,
	gt(experienceVotes.createdAt, since),
	ne(experienceVotes.agentId, agentId),
);

const votesOn = eq(experienceVotes.experienceId, experiences.id);

/** Votes of others on the experiences of an agent after `since`, newest first. */
export const newVotes = query(
	{ ...getTableColumns(experienceVotes), agentName: agents.name },
	(builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.innerJoin(experienceVotes, votesOn)
			.innerJoin(agents, eq(agents.id, experienceVotes.agentId))
			.where(isNewVote)
			.orderBy(desc(experienceVotes.createdAt), desc(experienceVotes.seq))
			.limit(limit),
);

/** Counts {@link newVotes}. */
export const newVoteCount = query(counted, (builder, fields) =>
	builder
		.select(fields)
		.from(experiences)
		.innerJoin(experienceVotes, votesOn)
		.where(isNewVote),
);

const isNewCompletion = and(
	isOwn,
	gt(activityLog.startedAt, since),
	ne(activityLog.agentId, agentId),
);

const completionsOf = eq(activityLog.experienceId, experiences.id);

/** Completions of the experiences of an agent by others after `since`, newest first. */
export const newCompletions = query(
	{
		experienceId: experiences.id,
		experienceName: sql<string>`${experiences.name}`,
		agentId: activityLog.agentId,
		agentName: sql<string>`${agents.name}`,
		startedAt: activityLog.startedAt,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.innerJoin(activityLog, completionsOf)
			.innerJoin(agents, eq(agents.id, activityLog.agentId))
			.where(isNewCompletion)
			.orderBy(desc(activityLog.startedAt), desc(activityLog.seq))
			.limit(limit),
);

/** Counts {@link newCompletions}. */
export const newCompletionCount = query(counted, (builder, fields) =>
	builder
		.select(fields)
		.from(experiences)
		.innerJoin(activityLog, completionsOf)
		.where(isNewCompletion),
);

/** The completions of a stay, newest first; none began before the stay. */
export const logOfStay = query(
	getTableColumns(activityLog),
	(builder, fields) =>
		builder
			.select(fields)
			.from(activityLog)
			.where(
				and(
					eq(activityLog.agentId, agentId),
					gte(activityLog.startedAt, sql.placeholder("checkedInAt")),
					eq(activityLog.stayId, sql.placeholder("stayId")),
				),
			)
			.orderBy(desc(activityLog.startedAt), desc(activityLog.seq))
			.limit(limit),
);
