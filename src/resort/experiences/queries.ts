import {
	and,
	desc,
	eq,
	getTableColumns,
	isNull,
	or,
	type SQL,
	sql,
} from "drizzle-orm";
import { inSlice, pageOf } from "../../store/page.ts";
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

// Written out, because only SQLite takes a missing rating for the smallest one; for SQLite it changes nothing.
const byRating = [
	sql`${avgRating} desc nulls last`,
	desc(totalVotes),
	desc(createdAt),
	desc(seq),
];
const byCreation = [desc(createdAt), desc(seq)];
const byPopularity = [desc(totalCompletions), desc(createdAt), desc(seq)];

/**
 * The same orders, written so that no index has them: SQLite would walk through all experiences in the order of
 * such an index, in place of sorting the few of one creator.
 */
const ofOneByRating = [
	desc(sql`coalesce(${avgRating}, 0)`),
	desc(totalVotes),
	...byCreation,
];
const ofOneByPopularity = [desc(sql`${totalCompletions} + 0`), ...byCreation];

/** An experience that the host has hidden, and nobody archived. */
const isHidden = sql`${experiences.hiddenAt} is not null and ${experiences.archivedAt} = ${experiences.hiddenAt}`;

const columns = {
	...getTableColumns(experiences),
	creatorName: agents.name,
	creatorGoneAt: agents.deactivatedAt,
};

/** An experience, and who made it. */
export type ExperienceRow = Row<typeof columns>;

/** Experiences by their keys. */
const experiencesByKey = query(columns, (builder, fields) =>
	builder
		.select(fields)
		.from(experiences)
		.innerJoin(agents, eq(agents.id, experiences.creatorId))
		.where(inSlice(seq)),
);

const listWhere = (condition: SQL | undefined, order: SQL[]) => ({
	keys: query({ seq }, (builder) =>
		pageOf(builder, experiences, condition, order),
	),
	rows: experiencesByKey,
});

/** A list of active experiences. */
const list = (order: SQL[], ...conditions: SQL[]) =>
	listWhere(and(active, ...conditions), order);

/** What their creator itself sees: those that are hidden too. Each half has an index of its own. */
const ownList = (order: SQL[], ...conditions: SQL[]) =>
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

/** @param ofOne the same order for those of one creator */
const listsIn = (order: SQL[], ofOne: SQL[]) => ({
	all: list(order),
	category: list(order, inCategory),
	creator: list(ofOne, byCreator),
	both: list(ofOne, byCreator, alsoInCategory),
	own: ownList(ofOne),
	ownInCategory: ownList(ofOne, alsoInCategory),
});

/**
 * Active experiences in each order: all, those of a category, those of a creator, or those of both; and those of a
 * creator as it sees them itself.
 */
export const lists = {
	rating: listsIn(byRating, ofOneByRating),
	newest: listsIn(byCreation, byCreation),
	popular: listsIn(byPopularity, ofOneByPopularity),
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

const newestVotes = [
	desc(experienceVotes.createdAt),
	desc(experienceVotes.seq),
];

const voteColumns = {
	...getTableColumns(experienceVotes),
	agentName: agents.name,
	agentGoneAt: agents.deactivatedAt,
};

/** A vote, and whose it is. */
export type VoteRow = Row<typeof voteColumns>;

/** The votes for an experience, newest first. */
export const votesOfExperience = {
	keys: query({ seq: experienceVotes.seq }, (builder) =>
		pageOf(
			builder,
			experienceVotes,
			eq(experienceVotes.experienceId, sql.placeholder("experienceId")),
			newestVotes,
		),
	),
	rows: query(voteColumns, (builder, fields) =>
		builder
			.select(fields)
			.from(experienceVotes)
			.innerJoin(agents, eq(agents.id, experienceVotes.agentId))
			.where(inSlice(experienceVotes.seq)),
	),
};

/** The votes of an agent, also those for archived experiences, newest first. */
export const votesOfAgent = {
	keys: query({ seq: experienceVotes.seq }, (builder) =>
		pageOf(
			builder,
			experienceVotes,
			eq(experienceVotes.agentId, sql.placeholder("agentId")),
			newestVotes,
		),
	),
	rows: query(
		{
			...voteColumns,
			experienceName: experiences.name,
			experienceCreatorId: experiences.creatorId,
			experienceHiddenAt: sql<number | null>`${experiences.hiddenAt}`,
		},
		(builder, fields) =>
			builder
				.select(fields)
				.from(experienceVotes)
				.innerJoin(agents, eq(agents.id, experienceVotes.agentId))
				.innerJoin(
					experiences,
					eq(experiences.id, experienceVotes.experienceId),
				)
				.where(inSlice(experienceVotes.seq)),
	),
};
