import { and, desc, eq, exists, getTableColumns, gte, isNull, lte, type SQL, sql } from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import { assignments, builder, query, type TableColumn } from "../../store/query.ts";
import { insertInto, newRow, selectFrom, setIn, updateIn } from "../../store/table-queries.ts";
import { activityLog, experiences, postcards, stays } from "../../store/tables.ts";
import { isPublic } from "../postcards/queries.ts";

const columns = getTableColumns(stays);
const isUnended = isNull(stays.checkedOutAt);

/** Selects the stays that are open at the time `at`, like `isOpen` in `service.ts`. */
export const isOpenStay = sql`(${stays.checkedOutAt} is null and (${stays.endsBy} is null or ${stays.endsBy} > ${sql.placeholder("at")}))`;

const ofAgent = eq(stays.agentId, sql.placeholder("agentId"));
const newestFirst = [desc(stays.checkedInAt), desc(stays.seq)];
const bySeq = eq(stays.seq, sql.placeholder("seq"));

/** The stays of an agent, newest first. */
export const staysOfAgent = listQueries(columns, {
	table: stays,
	where: ofAgent,
	order: [stays.checkedInAt],
});

/** Returns the newest stay of an agent. */
export const newestStay = selectFrom(stays, { seq: stays.seq }, ofAgent, { orderBy: newestFirst });

/** Returns an agent's stay without a stored end. The stay is open or overdue. */
export const unendedStay = selectFrom(stays, columns, and(ofAgent, isUnended));

/** Returns the numbers of the occupied rooms of one type. */
export const takenNumbers = selectFrom(
	stays,
	{ roomNumber: stays.roomNumber },
	and(eq(stays.roomType, sql.placeholder("roomType")), isOpenStay),
);

/**
 * 1 if, since check-in, the guest of a stay has created a row that meets the condition `isKept`, else 0. The
 * column `maker` contains the id of a row's creator.
 */
const made = (table: typeof experiences | typeof postcards, maker: TableColumn, isKept: SQL) =>
	sql<0 | 1>`case when ${exists(
		builder
			.select({ one: sql`1` })
			.from(table)
			.where(and(isKept, eq(maker, stays.agentId), gte(table.createdAt, stays.checkedInAt))),
	)} then 1 else 0 end`;

/**
 * Returns whether the guest of a stay has, since check-in, created an experience that is still active, and
 * whether it has sent a public postcard. 1 means yes, 0 means no.
 */
export const madeInStay = selectFrom(
	stays,
	{
		experience: made(experiences, experiences.creatorId, isNull(experiences.archivedAt)),
		postcard: made(postcards, postcards.senderId, isPublic),
	},
	bySeq,
);

/** Inserts a stay. Returns no row if the agent already has an open stay. */
export const insertStay = query(columns, (builder, fields) =>
	builder
		.insert(stays)
		.values(newRow(stays, "activityName", "activityStartedAt", "activityEndsAt"))
		.onConflictDoNothing()
		.returning(fields),
);

/** Ends a stay. */
export const endStay = setIn(stays, ["checkedOutAt", "moodOnDeparture"], bySeq, columns);

/** Returns the stays without a stored end whose `endsBy` is at most `latest`, in the order of `endsBy`. */
export const endingStays = selectFrom(
	stays,
	{ agentId: stays.agentId, endsBy: sql<number>`${stays.endsBy}` },
	and(isUnended, lte(stays.endsBy, sql.placeholder("latest"))),
	{ orderBy: [stays.endsBy], limit: sql.placeholder("limit") },
);

const longestEnd = sql`${stays.checkedInAt} + ${sql.placeholder("maxStayMs")}`;

/** Reduces the duration of all stays without a stored end to `maxStayMs`, unless it is shorter. */
export const shortenStays = updateIn(
	stays,
	{ endsBy: longestEnd },
	and(isUnended, sql`(${stays.endsBy} is null or ${stays.endsBy} > ${longestEnd})`),
	{ seq: stays.seq },
);

/** Adds a completion to the counters of the stay, and sets the current activity. */
export const addToStay = updateIn(
	stays,
	{
		relaxationPoints: sql`${stays.relaxationPoints} + ${sql.placeholder("relaxationPoints")}`,
		activitiesCompleted: sql`${stays.activitiesCompleted} + 1`,
		experiencesCompleted: sql`${stays.experiencesCompleted} + ${sql.placeholder("experiences")}`,
		...assignments(stays, "activityName", "activityStartedAt", "activityEndsAt"),
	},
	bySeq,
);

/** Increments the number of postcards sent during a stay. */
export const countPostcard = updateIn(
	stays,
	{ postcardsSent: sql`${stays.postcardsSent} + 1` },
	eq(stays.id, sql.placeholder("id")),
);

/** Inserts a completion into the log. */
export const insertLog = insertInto(activityLog);

/** The completions of an agent in all stays, newest first. */
export const logOfAgent = listQueries(getTableColumns(activityLog), {
	table: activityLog,
	where: eq(activityLog.agentId, sql.placeholder("agentId")),
	order: [activityLog.startedAt],
});
