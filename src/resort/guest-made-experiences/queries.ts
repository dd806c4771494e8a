import {
	and,
	eq,
	getTableColumns,
	isNull,
	or,
	type SQL,
	sql,
} from "drizzle-orm";
import { listQueries, type SortKey } from "../../store/list-query.ts";
import { query, type Row } from "../../store/query.ts";
import {
	insertReturning,
	selectFrom,
	setIn,
	updateIn,
} from "../../store/table-queries.ts";
import {
	activityLog,
	agents,
	experiences,
	experienceVotes,
} from "../../store/tables.ts";

const { avgRating, totalVotes, totalCompletions, createdAt } = experiences;

const byId = eq(experiences.id, sql.placeholder("id"));
const active = isNull(experiences.archivedAt);
// The number is a literal: a partial index is used only by a query that contains exactly its condition.
const ranked = sql`${totalVotes} >= 3`;
const inCategory = eq(experiences.categoryKey, sql.placeholder("category"));
const byCreator = eq(experiences.creatorId, sql.placeholder("creatorId"));
// An expression, so that no index of categories is used: a creator has fewer experiences than a category.
const alsoInCategory = sql`${experiences.categoryKey} || '' = ${sql.placeholder("category")}`;

const byCreation = [createdAt];
// Without `nullsLast`, PostgreSQL would put missing ratings first; on SQLite it changes nothing.
const byRating = [{ nullsLast: avgRating }, totalVotes, createdAt];
const byPopularity = [totalCompletions, createdAt];

/**
 * The same orders for the experiences of one creator, as expressions that no index has. Otherwise SQLite would scan all
 * experiences in the order of an index, instead of sorting the few of that creator.
 */
const ofCreatorByRating = [
	sql`coalesce(${avgRating}, 0)`,
	totalVotes,
	createdAt,
];
const ofCreatorByPopularity = [sql`${totalCompletions} + 0`, createdAt];

/** An experience that is archived only because the host has hidden it: then both times are the same. */
const isHidden = sql`${experiences.hiddenAt} is not null and ${experiences.archivedAt} = ${experiences.hiddenAt}`;

const columns = {
	...getTableColumns(experiences),
	creatorName: agents.name,
	creatorGoneAt: agents.deactivatedAt,
};

/** An experience and its creator. */
export type ExperienceRow = Row<typeof columns>;

const creator = {
	table: agents,
	on: eq(agents.id, experiences.creatorId),
};

const listWhere = (where: SQL | undefined, order: readonly SortKey[]) =>
	listQueries(columns, { table: experiences, where, order, joins: [creator] });

/** A list of active experiences. */
const list = (order: readonly SortKey[], ...conditions: SQL[]) =>
	listWhere(and(active, ...conditions), order);

/** A list of the experiences that their creator sees, hidden ones too. Each half of the `or` has an index of its own. */
const ownList = (order: readonly SortKey[], ...conditions: SQL[]) =>
	listWhere(
		or(
			and(active, byCreator, ...conditions),
			and(isHidden, byCreator, ...conditions),
		),
		order,
	);

/** Returns the form in which categories are compared; empty for no category. */
export function categoryKey(category: string): string {
	return category.trim().toLowerCase();
}

/** @param ofCreator the same order, for one creator */
const listsIn = (order: readonly SortKey[], ofCreator: readonly SortKey[]) => ({
	all: list(order),
	category: list(order, inCategory),
	creator: list(ofCreator, byCreator),
	both: list(ofCreator, byCreator, alsoInCategory),
	own: ownList(ofCreator),
	ownInCategory: ownList(ofCreator, alsoInCategory),
});

/**
 * Active experiences in each order: all, those of a category, of a creator, or of both; and those of a creator as the
 * creator sees them.
 */
export const lists = {
	rating: listsIn(byRating, ofCreatorByRating),
	newest: listsIn(byCreation, byCreation),
	popular: listsIn(byPopularity, ofCreatorByPopularity),
};

/** Active experiences with at least 3 votes, by rating. */
export const leaderboards = {
	all: list(byRating, ranked),
	category: list(byRating, ranked, inCategory),
};

/** One active experience. */
export const experienceById = query(columns, (builder, fields) =>
	builder
		.select(fields)
		.from(experiences)
		.innerJoin(agents, eq(agents.id, experiences.creatorId))
		.where(and(byId, active)),
);

/** Inserts an experience. */
export const insertExperience = insertReturning(
	experiences,
	"archivedAt",
	"hiddenAt",
);

/** Archives an experience. */
export const setArchived = setIn(experiences, ["archivedAt"], byId);

/** Increments the number of completions. */
export const countCompletion = updateIn(
	experiences,
	{ totalCompletions: sql`${totalCompletions} + 1` },
	byId,
);

/** Adds a new vote, or the difference to the earlier vote, to the counters. */
export const countVote = updateIn(
	experiences,
	{
		ratingSum: sql`${experiences.ratingSum} + ${sql.placeholder("rating")}`,
		totalVotes: sql`${totalVotes} + ${sql.placeholder("votes")}`,
	},
	byId,
);

/** The vote of an agent for an experience. */
export const voteOf = selectFrom(
	experienceVotes,
	getTableColumns(experienceVotes),
	and(
		eq(experienceVotes.experienceId, sql.placeholder("experienceId")),
		eq(experienceVotes.agentId, sql.placeholder("agentId")),
	),
);

/** Inserts a vote. */
export const insertVote = insertReturning(experienceVotes, "hiddenAt");

/** Updates a vote. */
export const updateVote = setIn(
	experienceVotes,
	["rating", "review"],
	eq(experienceVotes.seq, sql.placeholder("seq")),
	getTableColumns(experienceVotes),
);

/** A completion of an experience by an agent. */
export const completionOf = selectFrom(
	activityLog,
	{ seq: activityLog.seq },
	and(
		eq(activityLog.experienceId, sql.placeholder("experienceId")),
		eq(activityLog.agentId, sql.placeholder("agentId")),
	),
	{ limit: 1 },
);

const voter = { table: agents, on: eq(agents.id, experienceVotes.agentId) };

const voteColumns = {
	...getTableColumns(experienceVotes),
	agentName: agents.name,
	agentGoneAt: agents.deactivatedAt,
};

/** A vote and its voter. */
export type VoteRow = Row<typeof voteColumns>;

/** The votes for an experience, newest first. */
export const votesOfExperience = listQueries(voteColumns, {
	table: experienceVotes,
	where: eq(experienceVotes.experienceId, sql.placeholder("experienceId")),
	order: [experienceVotes.createdAt],
	joins: [voter],
});

const ownVoteColumns = {
	...voteColumns,
	experienceName: experiences.name,
	experienceCreatorId: experiences.creatorId,
	experienceHiddenAt: sql<number | null>`${experiences.hiddenAt}`,
};

/** A vote with the name of its experience. */
export type OwnVoteRow = Row<typeof ownVoteColumns>;

/** The votes of an agent, also those for archived experiences, newest first. */
export const votesOfAgent = listQueries(ownVoteColumns, {
	table: experienceVotes,
	where: eq(experienceVotes.agentId, sql.placeholder("agentId")),
	order: [experienceVotes.createdAt],
	joins: [
		voter,
		{
			table: experiences,
			on: eq(experiences.id, experienceVotes.experienceId),
		},
	],
});
