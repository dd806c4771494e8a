/** The queries for the statistics. */
import { and, asc, desc, getTableColumns, gte, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { query } from "../../../core/store/query.ts";
import { countIn, deleteFrom, newRow, selectFrom } from "../../../core/store/table-queries.ts";
import { agents, stays } from "../../../core/store/tables.ts";
import { ROWS_AT_ONCE } from "../read-parts.ts";
import { houseHours } from "../tables.ts";

const since = sql.placeholder("since");

/** Selects the stays after the one that `agentId` ended at `since`, in the order of their ends. */
export const endedAfter = selectFrom(
	stays,
	{
		agentId: stays.agentId,
		checkedInAt: stays.checkedInAt,
		checkedOutAt: sql<number>`${stays.checkedOutAt}`,
	},
	and(
		// Without this condition, SQLite does not use the partial index.
		isNotNull(stays.checkedOutAt),
		sql`(${stays.checkedOutAt}, ${stays.agentId}) > (${since}, ${sql.placeholder("agentId")})`,
	),
	{ orderBy: [asc(stays.checkedOutAt), asc(stays.agentId)], limit: ROWS_AT_ONCE },
);

/** Selects the open stays that began after a given stay, in the order of their beginnings. */
export const openAfter = selectFrom(
	stays,
	{ seq: stays.seq, checkedInAt: stays.checkedInAt },
	and(
		isNull(stays.checkedOutAt),
		sql`(${stays.checkedInAt}, ${stays.seq}) > (${since}, ${sql.placeholder("seq")})`,
	),
	{ orderBy: [asc(stays.checkedInAt), asc(stays.seq)], limit: ROWS_AT_ONCE },
);

/** Counts the open stays that began before a time. */
export const countOpenBefore = countIn(stays, and(isNull(stays.checkedOutAt), lt(stays.checkedInAt, since)));

/** Selects the agents that registered before a given agent, newest first. */
export const agentsBefore = selectFrom(
	agents,
	{ seq: agents.seq, createdAt: agents.createdAt },
	lt(agents.seq, sql.placeholder("seq")),
	{ orderBy: [desc(agents.seq)], limit: ROWS_AT_ONCE },
);

/** Selects the stored statistics of the hours since a given time, oldest first. */
export const hoursSince = selectFrom(houseHours, getTableColumns(houseHours), gte(houseHours.hour, since), {
	orderBy: [asc(houseHours.hour)],
});

/** Inserts the statistics of an hour, unless another instance has inserted them. */
export const insertHour = query({}, (builder) =>
	builder
		.insert(houseHours)
		.values(Object.assign(newRow(houseHours), { hour: sql.placeholder("hour") }))
		.onConflictDoNothing(),
);

/** Deletes the statistics of the hours before a given time. */
export const deleteBefore = deleteFrom(houseHours, lt(houseHours.hour, since));
