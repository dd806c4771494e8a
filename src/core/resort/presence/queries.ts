import { and, count, desc, eq, gte, isNull, not, type SQL, sql } from "drizzle-orm";
import { type Join, joined, listQueries } from "../../store/list-query.ts";
import { alias, builder, query, type Row, type TableColumn } from "../../store/query.ts";
import { type NumberedTable, selectFrom } from "../../store/table-queries.ts";
import { agents, stays } from "../../store/tables.ts";
import { isOpenStay } from "../stays/queries.ts";

const isActive = isNull(agents.deactivatedAt);

const isListed = sql`${agents.newestStay} > 0 and ${agents.deactivatedAt} is null`;

const counted = alias(stays, "counted");

/**
 * Joins an open stay with its agent if the agent is active. SQLite should find the agent by the index
 * `agents_by_newest_stay`. The `+` prevents the other direction, from agents to their newest stays, because
 * most of these stays are closed.
 */
export const guestAgent = { table: agents, on: sql`${agents.newestStay} = +${stays.seq} and ${isListed}` };

const shownStay = {
	roomType: stays.roomType,
	roomNumber: stays.roomNumber,
	checkedInAt: stays.checkedInAt,
	checkedOutAt: stays.checkedOutAt,
	endsBy: stays.endsBy,
	relaxationPoints: stays.relaxationPoints,
	activityName: stays.activityName,
	activityStartedAt: stays.activityStartedAt,
	activityEndsAt: stays.activityEndsAt,
};

/** The columns of a stay that are needed for a status. */
export type ShownStay = Row<typeof shownStay>;

/** The bio; null while `hide agent` hides the texts of the agent. */
const bio: SQL<string | null> = sql`case when ${agents.textsHiddenAt} is null then ${agents.bio} end`;

/** The columns of a guest and its stay. */
export const guestColumns = { id: agents.id, name: agents.name, bio, ...shownStay };

/** A guest and its stay. */
export type GuestRow = Row<typeof guestColumns>;

const guests = { table: stays, where: isOpenStay, order: [stays.checkedInAt], filterJoins: [guestAgent] };

/** The guests, newest first. */
export const guestList = listQueries(guestColumns, guests);

const stayOfAgent = { table: stays, on: eq(stays.seq, agents.newestStay) };

/** The columns of an agent in the directory, with the end of its newest stay. */
const ofDirectory = {
	id: agents.id,
	name: agents.name,
	bio,
	checkedOutAt: stays.checkedOutAt,
	endsBy: stays.endsBy,
	stays: sql<number>`(${builder
		.select({ count: count() })
		.from(counted)
		.where(eq(counted.agentId, agents.id))})`,
};

const isOver = not(isOpenStay);
const byNewestStay = { table: agents, order: [agents.newestStay] };

/** The lists of active agents that have stayed here, by status. Agents with the newest stays come first. */
export const directory = {
	all: listQueries(ofDirectory, { ...byNewestStay, where: isListed, joins: [stayOfAgent] }),
	relaxing: listQueries(ofDirectory, guests),
	available: listQueries(ofDirectory, {
		...byNewestStay,
		where: and(isListed, isOver),
		filterJoins: [stayOfAgent],
	}),
};

/**
 * Creates a query for the listed agents with the newest stays.
 * @param most the name of the query, and of the placeholder for the maximum number of agents
 * @param where a further condition
 */
const newest = (most: string, where?: SQL) =>
	builder
		.select({ seq: agents.seq, name: agents.name })
		.from(agents)
		.where(and(isListed, where))
		.orderBy(desc(agents.newestStay))
		.limit(sql.placeholder(most))
		.as(most);

const recent = newest("recent");
const same = newest("same", sql`lower(${agents.name}) = ${sql.placeholder("name")}`);

/**
 * Creates a query that searches the directory. Finds agents whose names match `pattern` among the `recent`
 * agents with the newest stays, and at most `same` agents whose name equals `name` among all agents. Finds
 * parts of names only in recent agents, because an index for parts of names would be larger than the names
 * themselves.
 */
const foundAgents = (status?: SQL) => ({
	rows: query(ofDirectory, (builder, fields) => {
		const found = builder
			.select({ seq: recent.seq })
			.from(recent)
			.where(sql`lower(${recent.name}) like ${sql.placeholder("pattern")} escape '\\'`)
			.union(builder.select({ seq: same.seq }).from(same))
			.as("found");
		return builder
			.select(fields)
			.from(found)
			.innerJoin(agents, eq(agents.seq, found.seq))
			.innerJoin(stays, stayOfAgent.on)
			.where(status)
			.orderBy(sql`lower(${agents.name}) <> ${sql.placeholder("name")}`, desc(agents.newestStay))
			.limit(sql.placeholder("limit"))
			.offset(sql.placeholder("offset"));
	}),
});

/** The searches of the directory, by status. */
export const directorySearch = {
	all: foundAgents(),
	relaxing: foundAgents(isOpenStay),
	available: foundAgents(isOver),
};

const most = sql.placeholder("most");
const hasEnded = gte(stays.checkedOutAt, sql.placeholder("since"));

/** Creates a query that counts the rows of a table that match a condition, up to `most`. */
export const countSome = (table: NumberedTable, where: SQL | undefined, joins: readonly Join[] = []) =>
	query({ count: sql<number>`${count()}` }, (builder, fields) => {
		const some = joined(builder.select({ seq: table.seq }).from(table).$dynamic(), joins);
		return builder.select(fields).from(some.where(where).limit(most).as("some"));
	});

/** Counts the guests, up to `most`. */
export const someGuests = countSome(stays, isOpenStay, [guestAgent]);

/**
 * Counts the agents that were guests at the time `at` or have left since `since`. Reads at most `most` agents
 * of each kind.
 */
export const someGuestsSince = query({ count: sql<number>`count(distinct agent_id)` }, (builder, fields) => {
	// The only purpose of sorting the rows by `time` is that PostgreSQL then uses the index on `time`.
	const agentsOf = (on: SQL | undefined, where: SQL, time: TableColumn, name: string) => {
		const all = builder.select({ agentId: stays.agentId }).from(stays).innerJoin(agents, on);
		const some = all.where(where).orderBy(time).limit(most).as(name);
		return builder.select({ agentId: some.agentId }).from(some);
	};
	const isAgent = and(eq(agents.id, stays.agentId), isActive);
	const here = agentsOf(guestAgent.on, isOpenStay, stays.checkedInAt, "guests");
	const gone = agentsOf(isAgent, hasEnded, stays.checkedOutAt, "gone");
	return builder.select(fields).from(here.unionAll(gone).as("all_guests"));
});

/** Returns the totals over all stays of an agent. */
export const statsOfAgent = selectFrom(
	stays,
	{
		totalStays: sql<number>`${count()}`,
		totalRelaxationPoints: total(stays.relaxationPoints),
		totalActivitiesCompleted: total(stays.activitiesCompleted),
		totalPostcardsSent: total(stays.postcardsSent),
	},
	eq(stays.agentId, sql.placeholder("agentId")),
);

function total(column: TableColumn): SQL<number> {
	return sql<number>`cast(coalesce(sum(${column}), 0) as bigint)`;
}

/**
 * Returns an active agent with the columns of its newest stay. Before its first stay, `newestStay` is 0 or
 * null, and the columns of the stay are null.
 */
export const agentWithStay = selectFrom(
	agents,
	{ name: agents.name, createdAt: agents.createdAt, newestStay: agents.newestStay, ...shownStay },
	and(eq(agents.id, sql.placeholder("id")), isActive),
	{ joins: [{ ...stayOfAgent, isLeft: true }] },
);
