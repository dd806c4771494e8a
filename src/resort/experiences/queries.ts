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
import {
	assignments,
	placeholders,
	query,
	type Row,
} from "../../store/query.ts";
import {
	activityLog,
	agents,
	experiences,
	experienceVotes,
} from "../../store/tables.ts";

const { avgRating, totalVotes, totalCompletions, createdAt, seq } = experiences;

const active = isNull(experiences.archivedAt);
// Written out, not bound: a partial index is used only by a query that says the same.
const ranked = sql`${totalVotes} >= 3`;
const inCategory = eq(experiences.categoryKey, sql.placeholder("category"));
const byCreator = eq(experiences.creatorId, sql.placeholder("creatorId"));
// Written so that no index of categories serves it: one creator has fewer experiences than a category.
const alsoInCategory = sql`${experiences.categoryKey} || '' = ${sql.placeholder("category")}`;

const byCreation: readonly SortKey[] = [
	[createdAt, "desc"],
	[seq, "desc"],
];
const byRating: readonly SortKey[] = [
	// On PostgreSQL a missing rating would come first; on SQLite this changes nothing.
	[avgRating, "desc nulls last"],
	[totalVotes, "desc"],
	...byCreation,
];
const byPopularity: readonly SortKey[] = [
	[totalCompletions, "desc"],
	...byCreation,
];

/**
 * The same orders, written so that no index has them: SQLite would walk through all experiences in the order of such an
 * index instead of sorting the few of one creator.
 */
const ofCreatorByRating: readonly SortKey[] = [
	[sql`coalesce(${avgRating}, 0)`, "desc"],
	[totalVotes, "desc"],
	...byCreation,
];
const ofCreatorByPopularity: readonly SortKey[] = [
	[sql`${totalCompletions} + 0`, "desc"],
	...byCreation,
];

/** An experience that the host has hidden, and nobody archived. */
const isHidden = sql`${experiences.hiddenAt} is not null and ${experiences.archivedAt} = ${experiences.hiddenAt}`;

const columns = {
	...getTableColumns(experiences),
	creatorName: agents.name,
	creatorGoneAt: agents.deactivatedAt,
};

/** An experience, and who made it. */
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

/** What their creator itself sees: those that are hidden too. Each half has an index of its own. */
const ownList = (order: readonly SortKey[], ...conditions: SQL[]) =>
	listWhere(
		or(
			and(active, byCreator, ...conditions),
			and(isHidden, byCreator, ...conditions),
		),
		order,
	);

/** What the category of an experience is found by, whatever its case; empty for no category. */
export function categoryKey(category: string): string {
	return category.trim().toLowerCase();
}

/** @param ofCreator the same order for those of one creator */
const listsIn = (order: readonly SortKey[], ofCreator: readonly SortKey[]) => ({
	all: list(order),
	category: list(order, inCategory),
	creator: list(ofCreator, byCreator),
	both: list(ofCreator, byCreator, alsoInCategory),
	own: ownList(ofCreator),
	ownInCategory: ownList(ofCreator, alsoInCategory),
});

/**
 * Active experiences in each order: all, those of a category, those of a creator, or those of both; and those of a
 * creator as it sees them itself.
 */
export const lists = {
	rating: listsIn(byRating, ofCreatorByRating),
	newest: listsIn(byCreation, byCreation),
	popular: listsIn(byPopularity, ofCreatorByPopularity),
};

/** The same by rating, of those with at least 3 votes. */
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
		.where(and(eq(experiences.id, sql.placeholder("id")), active)),
);

/** Makes an experience. */
export const insertExperience = query(
	getTableColumns(experiences),
	(builder, fields) =>
		builder
			.insert(experiences)
			.values(
				placeholders(
					"id",
					"creatorId",
					"name",
					"category",
					"categoryKey",
					"description",
					"location",
					"durationMinutes",
					"relaxationPoints",
					"maxParticipants",
					"createdAt",
				),
			)
			.returning(fields),
);

/** Archives an experience. */
export const setArchived = query({}, (builder) =>
	builder
		.update(experiences)
		.set(assignments(experiences, "archivedAt"))
		.where(eq(experiences.id, sql.placeholder("id"))),
);

/** Counts a completion. */
export const countCompletion = query({}, (builder) =>
	builder
		.update(experiences)
		.set({ totalCompletions: sql`${totalCompletions} + 1` })
		.where(eq(experiences.id, sql.placeholder("id"))),
);

/** Adds a new vote to the counters, or the difference that a changed vote makes. */
export const countVote = query({}, (builder) =>
	builder
		.update(experiences)
		.set({
			ratingSum: sql`${experiences.ratingSum} + ${sql.placeholder("rating")}`,
			totalVotes: sql`${totalVotes} + ${sql.placeholder("votes")}`,
		})
		.where(eq(experiences.id, sql.placeholder("id"))),
);

/** The vote of an agent for an experience. */
export const voteOf = query(
	getTableColumns(experienceVotes),
	(builder, fields) =>
		builder
			.select(fields)
			.from(experienceVotes)
			.where(
				and(
					eq(experienceVotes.experienceId, sql.placeholder("experienceId")),
					eq(experienceVotes.agentId, sql.placeholder("agentId")),
				),
			),
);

/** Votes for the first time. */
export const insertVote = query(
	getTableColumns(experienceVotes),
	(builder, fields) =>
		builder
			.insert(experienceVotes)
			.values(
				placeholders(
					"id",
					"experienceId",
					"agentId",
					"rating",
					"review",
					"createdAt",
				),
			)
			.returning(fields),
);

/** Changes a vote. */
export const updateVote = query(
	getTableColumns(experienceVotes),
	(builder, fields) =>
		builder
			.update(experienceVotes)
			.set(assignments(experienceVotes, "rating", "review"))
			.where(eq(experienceVotes.seq, sql.placeholder("seq")))
			.returning(fields),
);

/** A completion of an experience by an agent. */
export const completionOf = query({ seq: activityLog.seq }, (builder, fields) =>
	builder
		.select(fields)
		.from(activityLog)
		.where(
			and(
				eq(activityLog.experienceId, sql.placeholder("experienceId")),
				eq(activityLog.agentId, sql.placeholder("agentId")),
			),
		)
		.limit(1),
);

const voter = { table: agents, on: eq(agents.id, experienceVotes.agentId) };

const newestVotes: readonly SortKey[] = [
	[experienceVotes.createdAt, "desc"],
	[experienceVotes.seq, "desc"],
];

const voteColumns = {
	...getTableColumns(experienceVotes),
	agentName: agents.name,
	agentGoneAt: agents.deactivatedAt,
};

/** A vote, and whose it is. */
export type VoteRow = Row<typeof voteColumns>;

/** The votes for an experience, newest first. */
export const votesOfExperience = listQueries(voteColumns, {
	table: experienceVotes,
	where: eq(experienceVotes.experienceId, sql.placeholder("experienceId")),
	order: newestVotes,
	joins: [voter],
});

/** The votes of an agent, also those for archived experiences, newest first. */
export const votesOfAgent = listQueries(
	{
		...voteColumns,
		experienceName: experiences.name,
		experienceCreatorId: experiences.creatorId,
		experienceHiddenAt: sql<number | null>`${experiences.hiddenAt}`,
	},
	{
		table: experienceVotes,
		where: eq(experienceVotes.agentId, sql.placeholder("agentId")),
		order: newestVotes,
		joins: [
			voter,
			{
				table: experiences,
				on: eq(experiences.id, experienceVotes.experienceId),
			},
		],
	},
);
