import { and, eq, getTableColumns, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import { listQueries, type SortKey } from "../../store/list-query.ts";
import { query, type Row } from "../../store/query.ts";
import { insertReturning, selectFrom, setIn, updateIn } from "../../store/table-queries.ts";
import { activityLog, agents, experiences, experienceVotes } from "../../store/tables.ts";

const { avgRating, totalVotes, totalCompletions, createdAt } = experiences;

const byId = eq(experiences.id, sql.placeholder("id"));
const active = isNull(experiences.archivedAt);
// The condition contains a literal instead of a parameter, because the database uses a partial index only if
// the query contains exactly the condition of the index.
const ranked = sql`${totalVotes} >= 3`;
const inCategory = eq(experiences.categoryKey, sql.placeholder("category"));
const byCreator = eq(experiences.creatorId, sql.placeholder("creatorId"));
// The expression `|| ''` prevents the use of an index on categories. The index on creators is faster, because
// a creator has fewer experiences than a category.
const alsoInCategory = sql`${experiences.categoryKey} || '' = ${sql.placeholder("category")}`;

const byCreation = [createdAt];
// Without `nullsLast`, some engines would sort missing ratings first. On SQLite it makes no difference.
const byRating = [{ nullsLast: avgRating }, totalVotes, createdAt];
const byWeight = [experiences.weightedRating, totalVotes, createdAt];
const byPopularity = [totalCompletions, createdAt];

/**
 * The same sort orders as `byRating` and `byPopularity`, for the experiences of one creator. The expressions
 * match no index. Thus SQLite sorts these few experiences, instead of scanning all experiences in the order
 * of an index.
 */
const ofCreatorByRating = [sql`coalesce(${avgRating}, 0)`, totalVotes, createdAt];
const ofCreatorByPopularity = [sql`${totalCompletions} + 0`, createdAt];

/** Whether an experience is archived only because the operator has hidden it: then both times are equal. */
const isHidden = sql`${experiences.hiddenAt} is not null and ${experiences.archivedAt} = ${experiences.hiddenAt}`;

const columns = {
	...getTableColumns(experiences),
	creatorName: agents.name,
	creatorGoneAt: agents.deactivatedAt,
};

/** An experience with the name of its creator, and the time at which the creator was deactivated. */
export type ExperienceRow = Row<typeof columns>;

const creator = { table: agents, on: eq(agents.id, experiences.creatorId) };

const listWhere = (order: readonly SortKey[], where: SQL | undefined) =>
	listQueries(columns, { table: experiences, where, order, joins: [creator] });

/** Returns an active experience whose creator is not `agentId` and whose id is not `except`. */
export const offered = selectFrom(
	experiences,
	{ id: experiences.id },
	and(
		active,
		ne(experiences.creatorId, sql.placeholder("agentId")),
		ne(experiences.id, sql.placeholder("except")),
	),
	{ limit: 1 },
);

/**
 * Counts all experiences, and subtracts the archived ones. This is fast, because SQLite can count the rows of
 * a whole table without reading each row.
 */
const activeCount = query({ count: sql<number>`total - archived` }, (builder, fields) => {
	const total = sql`(select count(*) as total from ${experiences}) as whole`;
	const archived = sql`(select count(*) as archived from ${experiences} where ${isNotNull(experiences.archivedAt)}) as part`;
	return builder.select(fields).from(sql`${total}, ${archived}`);
});

/** Creates the queries for a list of active experiences. */
const list = (order: readonly SortKey[], ...conditions: SQL[]) =>
	listWhere(order, and(active, ...conditions));

/**
 * Creates the queries for a list of experiences as their creator sees them, including hidden ones. The two
 * parts of the `or` can use different indexes.
 */
const ownList = (order: readonly SortKey[], condition?: SQL) =>
	listWhere(order, or(and(active, byCreator, condition), and(isHidden, byCreator, condition)));

/** Returns the form of a category that is used for comparisons. An empty result means no category. */
export function categoryKey(category: string): string {
	return category.trim().toLowerCase();
}

/** @param ofCreator sorts like `order`, but is faster for the experiences of one creator */
const listsIn = (order: readonly SortKey[], ofCreator: readonly SortKey[]) => ({
	all: { ...list(order), count: activeCount },
	category: list(order, inCategory),
	creator: list(ofCreator, byCreator),
	both: list(ofCreator, byCreator, alsoInCategory),
	own: ownList(ofCreator),
	ownInCategory: ownList(ofCreator, alsoInCategory),
});

/**
 * The lists of active experiences, for each sort order. `both` selects by creator and category. `own` and
 * `ownInCategory` are for the creator, and include the creator's hidden experiences.
 */
export const lists = {
	rating: listsIn(byRating, ofCreatorByRating),
	newest: listsIn(byCreation, byCreation),
	popular: listsIn(byPopularity, ofCreatorByPopularity),
};

/** The active experiences with at least 3 votes, sorted by rating. */
export const leaderboards = { all: list(byRating, ranked), category: list(byRating, ranked, inCategory) };

/**
 * Active experiences as web pages rank them: by a Bayesian mean of the ratings, then by the number of votes,
 * then the newest first.
 */
export const ranking = { all: list(byWeight), category: list(byWeight, inCategory) };

/** Returns an active experience by its id. */
export const experienceById = selectFrom(experiences, columns, and(byId, active), { joins: [creator] });

/** The maximum number of active experiences that an agent can have. */
export const MAX_ACTIVE = 200;

/** Returns one row if an agent has {@link MAX_ACTIVE} or more active experiences, otherwise none. */
export const lastOfTooMany = selectFrom(experiences, { seq: experiences.seq }, and(active, byCreator), {
	limit: 1,
	offset: MAX_ACTIVE - 1,
});

/** Inserts an experience. */
export const insertExperience = insertReturning(experiences, "archivedAt", "hiddenAt");

/** Archives an experience. */
export const setArchived = setIn(experiences, ["archivedAt"], byId);

/** Increments the number of completions of an experience, and returns the updated row. */
export const countCompletion = updateIn(
	experiences,
	{ totalCompletions: sql`${totalCompletions} + 1` },
	byId,
	getTableColumns(experiences),
);

/**
 * Updates the counters of an experience after a vote. If the voter had voted before, the placeholders contain
 * the differences from the earlier vote.
 */
export const countVote = updateIn(
	experiences,
	{
		ratingSum: sql`${experiences.ratingSum} + ${sql.placeholder("rating")}`,
		totalVotes: sql`${totalVotes} + ${sql.placeholder("votes")}`,
	},
	byId,
	getTableColumns(experiences),
);

const ofExperience = eq(experienceVotes.experienceId, sql.placeholder("experienceId"));
const byVoter = eq(experienceVotes.agentId, sql.placeholder("agentId"));

/** Returns the vote of an agent for an experience. */
export const voteOf = selectFrom(
	experienceVotes,
	getTableColumns(experienceVotes),
	and(ofExperience, byVoter),
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

/** Returns one row if the agent has completed the experience, otherwise none. */
export const completionOf = selectFrom(
	activityLog,
	{ seq: activityLog.seq },
	and(
		eq(activityLog.experienceId, sql.placeholder("experienceId")),
		eq(activityLog.agentId, sql.placeholder("agentId")),
	),
	{ limit: 1 },
);

/** The join of a vote with its voter. */
export const voter = { table: agents, on: eq(agents.id, experienceVotes.agentId) };

/** The columns of a vote with the name of its voter, and the time at which the voter was deactivated. */
export const voteColumns = {
	...getTableColumns(experienceVotes),
	agentName: agents.name,
	agentGoneAt: agents.deactivatedAt,
};

/** The votes for an experience, newest first. */
export const votesOfExperience = listQueries(voteColumns, {
	table: experienceVotes,
	where: ofExperience,
	order: [experienceVotes.createdAt],
	joins: [voter],
});

/** The columns of a vote with the name of the experience, which {@link reviewed} joins. */
export const reviewColumns = {
	...voteColumns,
	experienceName: sql<string>`${experiences.name}`,
	experienceCreatorId: sql<string>`${experiences.creatorId}`,
	experienceHiddenAt: sql<number | null>`${experiences.hiddenAt}`,
};

/** A vote with the name of the experience. */
export type ReviewRow = Row<typeof reviewColumns>;

/** The join of a vote with its experience. */
export const reviewed = { table: experiences, on: eq(experiences.id, experienceVotes.experienceId) };

/** The votes by an agent, newest first. Includes votes for archived experiences. */
export const votesOfAgent = listQueries(reviewColumns, {
	table: experienceVotes,
	where: byVoter,
	order: [experienceVotes.createdAt],
	joins: [voter, reviewed],
});
