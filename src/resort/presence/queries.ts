import {
	and,
	count,
	desc,
	eq,
	gt,
	isNotNull,
	isNull,
	type SQL,
	sql,
} from "drizzle-orm";
import { inSlice } from "../../store/page.ts";
import { question, type TableColumn } from "../../store/question.ts";
import { agents, stays } from "../../store/tables.ts";

/** What makes an agent a guest; `openSince` leaves out stays that have passed the longest stay allowed. */
const isGuest = and(
	isNull(stays.checkedOutAt),
	gt(stays.checkedInAt, sql.placeholder("openSince")),
	isNull(agents.deactivatedAt),
);

/** The keys of the guests' stays after a given one, newest first, with what the lobby works out from all of them. */
export const guestKeys = question(
	{
		seq: stays.seq,
		agentId: stays.agentId,
		checkedInAt: stays.checkedInAt,
		activityEndsAt: stays.activityEndsAt,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.innerJoin(agents, eq(agents.id, stays.agentId))
			.where(
				and(
					isGuest,
					sql`(${stays.checkedInAt}, ${stays.seq}) < (${sql.placeholder("checkedInAt")}, ${sql.placeholder("seq")})`,
				),
			)
			.orderBy(desc(stays.checkedInAt), desc(stays.seq))
			.limit(sql.placeholder("limit")),
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

/**
 * Departures after a given one, the earliest first. Of an agent that left twice at once, the second may be missing.
 */
export const departures = question(
	{ checkedOutAt: stays.checkedOutAt, agentId: stays.agentId },
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.innerJoin(agents, eq(agents.id, stays.agentId))
			.where(
				and(
					isNotNull(stays.checkedOutAt),
					sql`(${stays.checkedOutAt}, ${stays.agentId}) > (${sql.placeholder("checkedOutAt")}, ${sql.placeholder("agentId")})`,
					isNull(agents.deactivatedAt),
				),
			)
			.orderBy(stays.checkedOutAt, stays.agentId)
			.limit(sql.placeholder("limit")),
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

function total(column: TableColumn): SQL<number> {
	return sql<number>`cast(coalesce(sum(${column}), 0) as bigint)`;
}
