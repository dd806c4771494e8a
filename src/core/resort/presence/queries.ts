import { and, count, desc, eq, gt, gte, isNotNull, isNull, lte, notExists, type SQL, sql } from "drizzle-orm";
import { type Join, joined, listQueries } from "../../store/list-query.ts";
import { alias, builder, query, type Row, type TableColumn } from "../../store/query.ts";
import { type NumberedTable, selectFrom } from "../../store/table-queries.ts";
import { agents, experiences, postcards, stays } from "../../store/tables.ts";
import { isPublic } from "../postcards/queries.ts";

const isActive = isNull(agents.deactivatedAt);

/** Selects the stays of current guests. The condition on `openSince` excludes overdue stays. */
const isGuest = and(
	isNull(stays.checkedOutAt),
	gt(stays.checkedInAt, sql.placeholder("openSince")),
	isActive,
);

const counted = alias(stays, "counted");

const guestAgent = { table: agents, on: eq(agents.id, stays.agentId) };

const shownStay = {
	roomType: stays.roomType,
	roomNumber: stays.roomNumber,
	checkedInAt: stays.checkedInAt,
	checkedOutAt: stays.checkedOutAt,
	relaxationPoints: stays.relaxationPoints,
	activityName: stays.activityName,
	activityStartedAt: stays.activityStartedAt,
	activityEndsAt: stays.activityEndsAt,
};

/** The columns of a stay that are needed for a status. */
export type ShownStay = Row<typeof shownStay>;

/** The bio; null while `hide agent` hides the texts of the agent. */
const bio: SQL<string | null> = sql`case when ${agents.textsHiddenAt} is null then ${agents.bio} end`;

const guestColumns = { id: agents.id, name: agents.name, bio, ...shownStay };

/** A guest and its stay. */
export type GuestRow = Row<typeof guestColumns>;

/** The guests, newest first. */
export const guestList = listQueries(guestColumns, {
	table: stays,
	where: isGuest,
	order: [stays.checkedInAt],
	filterJoins: [guestAgent],
});

/** The guests in rooms of one type, sorted by room number. */
export const guestsOfType = selectFrom(
	stays,
	guestColumns,
	and(eq(stays.roomType, sql.placeholder("roomType")), isGuest),
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
			.where(isGuest)
			.limit(sql.placeholder("most"))
			.as("guests");
		return builder.select(fields).from(guests).groupBy(sql`room_type`);
	},
);

const isListed = sql`${agents.newestStay} > 0 and ${agents.deactivatedAt} is null`;

const stayOfAgent = { table: stays, on: eq(stays.seq, agents.newestStay) };

const ofDirectory = {
	id: agents.id,
	name: agents.name,
	bio,
	checkedInAt: stays.checkedInAt,
	checkedOutAt: stays.checkedOutAt,
	stays: sql<number>`(${builder
		.select({ count: count() })
		.from(counted)
		.where(eq(counted.agentId, agents.id))})`,
};

/** An agent of the directory, with the beginning and the end of its newest stay. */
export type DirectoryRow = Row<typeof ofDirectory>;

const isOver = sql`(${stays.checkedOutAt} is not null or ${stays.checkedInAt} <= ${sql.placeholder("openSince")})`;

/** The lists of active agents that have stayed here, by status. Agents with the newest stays come first. */
export const directory = {
	all: listQueries(ofDirectory, {
		table: agents,
		where: isListed,
		order: [agents.newestStay],
		joins: [stayOfAgent],
	}),
	relaxing: listQueries(ofDirectory, {
		table: stays,
		where: isGuest,
		order: [stays.checkedInAt],
		filterJoins: [guestAgent],
	}),
	available: listQueries(ofDirectory, {
		table: agents,
		where: and(isListed, isOver),
		order: [agents.newestStay],
		filterJoins: [stayOfAgent],
	}),
};

/**
 * Creates a query that searches the directory. It finds agents whose names match `pattern` among the `recent`
 * agents with the newest stays, and at most `same` agents whose name equals `name`. A search for a part of a
 * name examines only the recent agents, because an index for parts of names would be larger than the names
 * themselves.
 */
const foundAgents = (status: SQL | undefined) =>
	query(ofDirectory, (builder, fields) => {
		const recent = builder
			.select({ seq: agents.seq, name: agents.name })
			.from(agents)
			.where(isListed)
			.orderBy(desc(agents.newestStay))
			.limit(sql.placeholder("recent"))
			.as("recent");
		const same = builder
			.select({ seq: agents.seq })
			.from(agents)
			.where(and(isListed, sql`lower(${agents.name}) = ${sql.placeholder("name")}`))
			.orderBy(desc(agents.newestStay))
			.limit(sql.placeholder("same"))
			.as("same");
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
			.orderBy(desc(agents.newestStay))
			.limit(sql.placeholder("limit"))
			.offset(sql.placeholder("offset"));
	});

/** The searches of the directory, by status. */
export const directorySearch = {
	all: foundAgents(undefined),
	relaxing: foundAgents(isGuest),
	available: foundAgents(isOver),
};

/** The guests whose stays began before a given stay, newest first. */
export const guestsBefore = selectFrom(
	stays,
	{ seq: stays.seq, agentId: stays.agentId, checkedInAt: stays.checkedInAt },
	and(
		isGuest,
		sql`(${stays.checkedInAt}, ${stays.seq}) < (${sql.placeholder("checkedInAt")}, ${sql.placeholder("seq")})`,
	),
	{
		joins: [guestAgent],
		orderBy: [desc(stays.checkedInAt), desc(stays.seq)],
		limit: sql.placeholder("limit"),
	},
);

const since = sql.placeholder("since");
const most = sql.placeholder("most");
const hasEnded = gte(stays.checkedOutAt, since);

/** Creates a query that counts the rows of a table that match a condition, up to `most`. */
const countSome = (table: NumberedTable, where: SQL | undefined, joins: readonly Join[] = []) =>
	query({ count: sql<number>`${count()}` }, (builder, fields) => {
		const some = joined(builder.select({ seq: table.seq }).from(table).$dynamic(), joins);
		return builder.select(fields).from(some.where(where).limit(most).as("some"));
	});

/** Counts the open stays that began after `openSince` and not after `until`, up to `most`. */
export const someGuests = countSome(stays, and(isGuest, lte(stays.checkedInAt, sql.placeholder("until"))), [
	guestAgent,
]);

/** Counts the agents that have left since `since` and have not returned. Reads at most `most` departures. */
export const someGone = query({ count: sql<number>`count(distinct agent_id)` }, (builder, fields) => {
	const gone = builder
		.select({ agentId: stays.agentId })
		.from(stays)
		.innerJoin(agents, guestAgent.on)
		.where(and(hasEnded, isActive))
		.limit(most)
		.as("gone");
	const open = builder
		.select({ seq: stays.seq })
		.from(stays)
		.where(and(eq(stays.agentId, gone.agentId), isNull(stays.checkedOutAt)));
	return builder.select(fields).from(gone).where(notExists(open));
});

/** Counts the stays that have ended since `since`, up to `most`. */
export const someDepartures = countSome(stays, hasEnded);

/** Counts the public postcards that were sent since `since`, up to `most`. */
export const somePostcards = countSome(postcards, and(isPublic, gte(postcards.createdAt, since)));

/** Counts the active experiences that were created since `since`, up to `most`. */
export const someExperiences = countSome(
	experiences,
	and(isNull(experiences.archivedAt), gte(experiences.createdAt, since)),
);

/**
 * Returns the departures after a given departure, earliest first. If an agent left twice in the same
 * millisecond, the second departure may be missing.
 */
export const departures = selectFrom(
	stays,
	{ checkedOutAt: stays.checkedOutAt, agentId: stays.agentId },
	and(
		isNotNull(stays.checkedOutAt),
		sql`(${stays.checkedOutAt}, ${stays.agentId}) > (${sql.placeholder("checkedOutAt")}, ${sql.placeholder("agentId")})`,
		isActive,
	),
	{ joins: [guestAgent], orderBy: [stays.checkedOutAt, stays.agentId], limit: sql.placeholder("limit") },
);

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

/** Returns an active agent and the `seq` of its newest stay. */
export const statusAgent = selectFrom(
	agents,
	{ name: agents.name, newestStay: agents.newestStay },
	and(eq(agents.id, sql.placeholder("id")), isActive),
);

/** Returns a stay by its `seq`. */
export const statusStay = selectFrom(stays, shownStay, eq(stays.seq, sql.placeholder("seq")));
