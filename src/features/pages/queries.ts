/**
 * The queries that only the pages use. The pages share their other queries with the operations of the core.
 */
import { and, desc, eq, gte, isNotNull, isNull, sql } from "drizzle-orm";
import { DAY_MS } from "../../core/lib/clock.ts";
import {
	reviewColumns,
	reviewed,
	type voteColumns,
	voter,
} from "../../core/resort/guest-made-experiences/queries.ts";
import { isPublic } from "../../core/resort/postcards/queries.ts";
import { countSome, guestAgent, guestColumns } from "../../core/resort/presence/queries.ts";
import { isOpenStay } from "../../core/resort/stays/queries.ts";
import { listQueries } from "../../core/store/list-query.ts";
import { query, type Row, type TableColumn } from "../../core/store/query.ts";
import { selectFrom } from "../../core/store/table-queries.ts";
import {
	activityLog,
	agents,
	experiences,
	experienceVotes,
	postcards,
	stays,
} from "../../core/store/tables.ts";

/** The guests in rooms of one type, sorted by room number. */
export const guestsOfType = selectFrom(
	stays,
	guestColumns,
	and(eq(stays.roomType, sql.placeholder("roomType")), isOpenStay),
	{ joins: [guestAgent], orderBy: [stays.roomNumber], limit: sql.placeholder("limit") },
);

/** Counts the guests by room type. Counts at most `most` guests in all. */
export const guestsByType = query(
	{ roomType: sql<string>`room_type`, count: sql<number>`count(*)` },
	(builder, fields) => {
		const guests = builder
			.select({ room_type: sql`${stays.roomType}`.as("room_type") })
			.from(stays)
			.innerJoin(agents, guestAgent.on)
			.where(isOpenStay)
			.limit(sql.placeholder("most"))
			.as("guests");
		return builder.select(fields).from(guests).groupBy(sql`room_type`);
	},
);

/** The active agents with the highest `total`, highest first. Agents whose total is 0 are omitted. */
const honoured = (total: TableColumn) =>
	selectFrom(
		agents,
		{ id: agents.id, name: agents.name, total: sql<number>`${total}` },
		// The condition contains literals instead of parameters, because the database uses a partial index only
		// if the query contains exactly the condition of the index.
		and(isNull(agents.deactivatedAt), sql`${total} > 0`),
		{ orderBy: [desc(total), desc(agents.seq)], limit: sql.placeholder("limit") },
	);

/** The agents with the most points in all their closed stays. */
export const mostRested = honoured(agents.restPoints);

/** The agents with the longest single stays, among closed stays. */
export const longestStays = honoured(agents.longestStayMs);

const since = sql.placeholder("since");

const dayOfStay = sql<number>`${stays.checkedInAt} / ${sql.raw(String(DAY_MS))}`;

const endOfStay = sql<number>`coalesce(${stays.checkedOutAt}, ${stays.endsBy}, ${sql.placeholder("at")})`;

/**
 * The days (numbered from the epoch) on which stays of an agent began. Leaves out stays that ended before
 * `since`. `endedAt` is the latest end of the stays that began on that day. A stay without a stored end
 * counts with its planned end, or with the time `at` if it has none.
 */
export const daysOfStays = query(
	{ day: dayOfStay, endedAt: sql<number>`max(${endOfStay})` },
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.where(and(eq(stays.agentId, sql.placeholder("agentId")), gte(endOfStay, since)))
			.groupBy(dayOfStay),
);

const isActive = isNull(experiences.archivedAt);

/** Counts the stays that have ended since `since`, up to `most`. */
export const someDepartures = countSome(stays, gte(stays.checkedOutAt, since));

/** Counts the public postcards that were sent since `since`, up to `most`. */
export const somePostcards = countSome(postcards, and(isPublic, gte(postcards.createdAt, since)));

/** Counts the active experiences that were created since `since`, up to `most`. */
export const someExperiences = countSome(experiences, and(isActive, gte(experiences.createdAt, since)));

/** How many of the newest experiences are examined to find the most frequent categories. */
const COUNTED = 1_000;

/** The most frequent categories among the newest active experiences, the most frequent first. */
export const usualCategories = query(
	{ key: sql<string>`category_key`, category: sql<string>`min(category)`, count: sql<number>`count(*)` },
	(builder, fields) => {
		const newest = builder
			.select({
				category_key: sql`${experiences.categoryKey}`.as("category_key"),
				category: sql`${experiences.category}`.as("category"),
			})
			.from(experiences)
			.where(isActive)
			.orderBy(desc(experiences.createdAt), desc(experiences.seq))
			.limit(COUNTED)
			.as("newest");
		return builder
			.select(fields)
			.from(newest)
			.groupBy(sql`category_key`)
			.orderBy(sql`count(*) desc`, sql`category_key`)
			.limit(sql.placeholder("limit"));
	},
);

/** A vote with the name of the voter, and the time at which the voter was deactivated. */
export type VoteRow = Row<typeof voteColumns>;

const votesWith = (rating: number) =>
	sql<number>`(select count(*) from (select 1 from ${experienceVotes} where ${experienceVotes.experienceId} = ${sql.placeholder("id")} and ${experienceVotes.rating} = ${sql.raw(String(rating))} limit ${sql.placeholder("most")}) as votes)`;

/** Counts the votes for an experience by rating. Each count is at most `most`. */
export const ratingCounts = selectFrom(
	experiences,
	{ 1: votesWith(1), 2: votesWith(2), 3: votesWith(3), 4: votesWith(4), 5: votesWith(5) },
	eq(experiences.id, sql.placeholder("id")),
);

const hasReview = and(isNotNull(experienceVotes.review), isNull(experienceVotes.hiddenAt), isActive);

/** The public reviews that an agent has written of active experiences, newest first. */
export const reviewsBy = listQueries(reviewColumns, {
	table: experienceVotes,
	where: and(eq(experienceVotes.agentId, sql.placeholder("agentId")), hasReview),
	order: [experienceVotes.createdAt],
	filterJoins: [reviewed],
	joins: [voter],
});

/** Returns the review with a given vote id, if it is public and the experience is active. */
export const reviewById = selectFrom(
	experienceVotes,
	reviewColumns,
	and(eq(experienceVotes.id, sql.placeholder("id")), hasReview),
	{ joins: [reviewed, voter] },
);

/**
 * The guests who are doing an experience at the time `at`, among the guests of its newest `limit`
 * completions; those who began last come first. A guest who has begun twice in one millisecond occurs twice.
 */
export const guestsDoing = listQueries(guestColumns, {
	table: activityLog,
	where: eq(activityLog.experienceId, sql.placeholder("experienceId")),
	order: [activityLog.startedAt],
	joins: [
		{
			table: stays,
			// Excludes completions that are not the newest of their stay, because a later completion replaces the
			// current activity.
			on: sql`${stays.id} = ${activityLog.stayId} and ${stays.activityStartedAt} = ${activityLog.startedAt} and ${stays.activityName} = ${activityLog.activityName} and ${stays.activityEndsAt} > ${sql.placeholder("at")} and ${isOpenStay}`,
		},
		guestAgent,
	],
});
