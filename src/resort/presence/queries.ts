import {
	and,
	count,
	countDistinct,
	desc,
	eq,
	gt,
	gte,
	isNull,
	type SQL,
	sql,
} from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { inSlice } from "../../store/page.ts";
import { question } from "../../store/question.ts";
import { agents, stays } from "../../store/tables.ts";

/** What makes an agent a guest; `openSince` leaves out stays that have passed the longest stay allowed. */
const isGuest = and(
	isNull(stays.checkedOutAt),
	gt(stays.checkedInAt, sql.placeholder("openSince")),
	isNull(agents.deactivatedAt),
);

/** The keys of the stays of all guests, newest first, and when each one's activity ends. */
export const guestKeys = question(
	{
		seq: stays.seq,
		checkedInAt: stays.checkedInAt,
		activityEndsAt: stays.activityEndsAt,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.innerJoin(agents, eq(agents.id, stays.agentId))
			.where(isGuest)
			.orderBy(desc(stays.checkedInAt), desc(stays.seq)),
);

/** Guests by the keys of their stays. */
export const guestsByKey = question(
	{
		seq: stays.seq,
		id: agents.id,
		name: agents.name,
		bio: agents.bio,
		roomType: stays.roomType,
		roomNumber: stays.roomNumber,
		checkedInAt: stays.checkedInAt,
		relaxationPoints: stays.relaxationPoints,
		activityName: stays.activityName,
		activityStartedAt: stays.activityStartedAt,
		activityEndsAt: stays.activityEndsAt,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.innerJoin(agents, eq(agents.id, stays.agentId))
			.where(inSlice(stays.seq)),
);

/** How many guests there are. */
export const guestCount = question(
	{ count: sql<number>`${count()}` },
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.innerJoin(agents, eq(agents.id, stays.agentId))
			.where(isGuest),
);

/** How many agents were in the house at any time since midnight: two searches, each by its own index. */
export const guestsSince = question(
	{ count: sql<number>`count` },
	(builder) => {
		const present = builder
			.select({ agentId: stays.agentId })
			.from(stays)
			.where(gte(stays.checkedOutAt, sql.placeholder("midnight")))
			.unionAll(
				builder
					.select({ agentId: stays.agentId })
					.from(stays)
					.where(
						and(
							isNull(stays.checkedOutAt),
							gt(stays.checkedInAt, sql.placeholder("openSince")),
						),
					),
			)
			.as("present");
		return builder
			.select({ count: sql`${countDistinct(present.agentId)}`.as("count") })
			.from(present)
			.innerJoin(agents, eq(agents.id, present.agentId))
			.where(isNull(agents.deactivatedAt));
	},
);

/** What all the stays of an agent come to. */
export const statsOfAgent = question(
	{
		totalStays: sql<number>`${count()}`,
		totalRelaxationPoints: total(stays.relaxationPoints),
		totalActivitiesCompleted: total(stays.activitiesCompleted),
		totalPostcardsSent: total(stays.postcardsSent),
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.where(eq(stays.agentId, sql.placeholder("agentId"))),
);

function total(column: SQLiteColumn): SQL<number> {
	return sql<number>`coalesce(sum(${column}), 0)`;
}
