import {
	and,
	desc,
	eq,
	getTableColumns,
	gt,
	isNull,
	lte,
	sql,
} from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import { assignments, placeholders, query } from "../../store/query.ts";
import { activityLog, stays } from "../../store/tables.ts";

const columns = getTableColumns(stays);
const isOpen = isNull(stays.checkedOutAt);
const ofAgent = eq(stays.agentId, sql.placeholder("agentId"));
const bySeq = eq(stays.seq, sql.placeholder("seq"));

/** The stays of an agent, newest first. */
export const staysOfAgent = listQueries(columns, {
	table: stays,
	where: ofAgent,
	order: [
		[stays.checkedInAt, "desc"],
		[stays.seq, "desc"],
	],
});

/** Returns the newest stay of an agent. */
export const newestStay = query({ seq: stays.seq }, (builder, fields) =>
	builder
		.select(fields)
		.from(stays)
		.where(ofAgent)
		.orderBy(desc(stays.checkedInAt), desc(stays.seq)),
);

/** Returns the open stay of an agent. */
export const openStay = query(columns, (builder, fields) =>
	builder.select(fields).from(stays).where(and(ofAgent, isOpen)),
);

/** Returns the taken room numbers of a type; `openSince` excludes overdue stays. */
export const takenNumbers = query(
	{ roomNumber: stays.roomNumber },
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.where(
				and(
					eq(stays.roomType, sql.placeholder("roomType")),
					isOpen,
					gt(stays.checkedInAt, sql.placeholder("openSince")),
				),
			),
);

/** Inserts a stay; returns no row if the agent has an open one. */
export const insertStay = query(columns, (builder, fields) =>
	builder
		.insert(stays)
		.values(
			placeholders(
				"id",
				"agentId",
				"roomType",
				"roomNumber",
				"checkedInAt",
				"checkedOutAt",
				"moodOnArrival",
				"moodOnDeparture",
			),
		)
		.onConflictDoNothing()
		.returning(fields),
);

/** Ends a stay. */
export const endStay = query(columns, (builder, fields) =>
	builder
		.update(stays)
		.set(assignments(stays, "checkedOutAt", "moodOnDeparture"))
		.where(bySeq)
		.returning(fields),
);

/** Returns the agents of the open stays that began at `latest` or before, oldest first. */
export const openUntil = query(
	{ agentId: stays.agentId, checkedInAt: stays.checkedInAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(stays)
			.where(and(isOpen, lte(stays.checkedInAt, sql.placeholder("latest"))))
			.orderBy(stays.checkedInAt)
			.limit(sql.placeholder("limit")),
);

/** Adds a completion to its stay. */
export const addToStay = query({}, (builder) =>
	builder
		.update(stays)
		.set({
			relaxationPoints: sql`${stays.relaxationPoints} + ${sql.placeholder("relaxationPoints")}`,
			activitiesCompleted: sql`${stays.activitiesCompleted} + 1`,
			experiencesCompleted: sql`${stays.experiencesCompleted} + ${sql.placeholder("experiences")}`,
			...assignments(
				stays,
				"activityName",
				"activityStartedAt",
				"activityEndsAt",
			),
		})
		.where(bySeq),
);

/** Increments the number of postcards of a stay. */
export const countPostcard = query({}, (builder) =>
	builder
		.update(stays)
		.set({ postcardsSent: sql`${stays.postcardsSent} + 1` })
		.where(eq(stays.id, sql.placeholder("id"))),
);

/** Inserts a completion into the log. */
export const insertLog = query({}, (builder) =>
	builder
		.insert(activityLog)
		.values(
			placeholders(
				"id",
				"stayId",
				"agentId",
				"activityId",
				"experienceId",
				"activityName",
				"activityCategory",
				"startedAt",
				"notes",
				"relaxationPoints",
			),
		),
);
