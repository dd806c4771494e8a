import {
	and,
	desc,
	eq,
	getTableColumns,
	inArray,
	isNull,
	type SQL,
	sql,
} from "drizzle-orm";
import { pageOf } from "../../store/page.ts";
import { prepared } from "../../store/store.ts";
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

const byRating = [
	desc(avgRating),
	desc(totalVotes),
	desc(createdAt),
	desc(seq),
];
const byCreation = [desc(createdAt), desc(seq)];
const byPopularity = [desc(totalCompletions), desc(createdAt), desc(seq)];

const columns = { ...getTableColumns(experiences), creatorName: agents.name };

const list = (order: SQL[], ...conditions: SQL[]) =>
	prepared((db) =>
		db
			.select(columns)
			.from(experiences)
			.innerJoin(agents, eq(agents.id, experiences.creatorId))
			.where(
				inArray(
					seq,
					pageOf(db, experiences, and(active, ...conditions), order),
				),
			)
			.orderBy(...order)
			.prepare(),
	);

/** What the category of an experience is found by, whatever its case; empty for no category. */
export function categoryKey(category: string): string {
	return category.trim().toLowerCase();
}

/** Active experiences in each order, of all categories or of one. */
export const lists = {
	rating: { all: list(byRating), category: list(byRating, inCategory) },
	newest: { all: list(byCreation), category: list(byCreation, inCategory) },
	popular: {
		all: list(byPopularity),
		category: list(byPopularity, inCategory),
	},
};

/** The same by rating, of those with at least 3 votes (contract, leaderboard). */
export const leaderboards = {
	all: list(byRating, ranked),
	category: list(byRating, ranked, inCategory),
};

/** One active experience. */
export const experienceById = prepared((db) =>
	db
		.select(columns)
		.from(experiences)
		.innerJoin(agents, eq(agents.id, experiences.creatorId))
		.where(and(eq(experiences.id, sql.placeholder("id")), active))
		.prepare(),
);

/** Counts a completion. */
export const countCompletion = prepared((db) =>
	db
		.update(experiences)
		.set({ totalCompletions: sql`${totalCompletions} + 1` })
		.where(eq(experiences.id, sql.placeholder("id")))
		.prepare(),
);

/** Counts a vote, or what a changed vote changes. */
export const countVote = prepared((db) =>
	db
		.update(experiences)
		.set({
			ratingSum: sql`${experiences.ratingSum} + ${sql.placeholder("rating")}`,
			totalVotes: sql`${totalVotes} + ${sql.placeholder("votes")}`,
		})
		.where(eq(experiences.id, sql.placeholder("id")))
		.prepare(),
);

const ownVote = and(
	eq(experienceVotes.experienceId, sql.placeholder("experienceId")),
	eq(experienceVotes.agentId, sql.placeholder("agentId")),
);

/** The vote of an agent for an experience. */
export const voteOf = prepared((db) =>
	db.select().from(experienceVotes).where(ownVote).prepare(),
);

/** A completion of an experience by an agent. */
export const completionOf = prepared((db) =>
	db
		.select({ seq: activityLog.seq })
		.from(activityLog)
		.where(
			and(
				eq(activityLog.experienceId, sql.placeholder("experienceId")),
				eq(activityLog.agentId, sql.placeholder("agentId")),
			),
		)
		.limit(1)
		.prepare(),
);

/** The votes for an experience, newest first. */
export const votesFor = prepared((db) => {
	const newest = [desc(experienceVotes.createdAt), desc(experienceVotes.seq)];
	const ofExperience = eq(
		experienceVotes.experienceId,
		sql.placeholder("experienceId"),
	);
	const page = pageOf(db, experienceVotes, ofExperience, newest);
	return db
		.select({ ...getTableColumns(experienceVotes), agentName: agents.name })
		.from(experienceVotes)
		.innerJoin(agents, eq(agents.id, experienceVotes.agentId))
		.where(inArray(experienceVotes.seq, page))
		.orderBy(...newest)
		.prepare();
});
