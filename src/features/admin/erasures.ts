/** The queries and statements that find and overwrite an agent's personal data. */
import { and, eq, getTableColumns, inArray, is, isNotNull, isNull, ne, or, SQL, sql } from "drizzle-orm";
import { pick } from "../../core/lib/record.ts";
import { toColumns } from "../../core/resort/agents/service.ts";
import { HIDDEN } from "../../core/resort/events/event-info.ts";
import type { PersonalTable } from "../../core/store/personal-table.ts";
import { builder } from "../../core/store/query.ts";
import {
	deleteFrom,
	type NumberedTable,
	selectFrom,
	setIn,
	updateIn,
} from "../../core/store/table-queries.ts";
import {
	activityLog,
	agents,
	blocks,
	events,
	experiences,
	experienceVotes,
	idempotencyKeys,
	identities,
	postcards,
	stays,
} from "../../core/store/tables.ts";
import { adminActions } from "./tables.ts";

const agentId = sql.placeholder("agentId");

/** The replacement for an erased text. */
export const ERASED = "(erased)";

/**
 * Whether an agent was erased. Its name does not prove this, because any agent can call itself
 * {@link ERASED}. Its `avatarUrl` does, because that of any other agent is a URL or null.
 */
export function isErased({ avatarUrl }: Pick<typeof agents.$inferSelect, "avatarUrl">): boolean {
	return avatarUrl === ERASED;
}

/** Archives all active experiences of an agent. Returns the ids of these experiences. */
export const archiveAllOf = setIn(
	experiences,
	["archivedAt"],
	and(eq(experiences.creatorId, agentId), isNull(experiences.archivedAt)),
	{ id: experiences.id, seq: experiences.seq },
);

/** The tables with personal data in the core and this feature. Further rules are in {@link erasuresOf}. */
export const ownTables: readonly PersonalTable[] = [
	{ table: stays, name: "stays", owner: stays.agentId, erased: [stays.moodOnArrival, stays.moodOnDeparture] },
	{
		table: experiences,
		name: "experiences",
		owner: experiences.creatorId,
		erased: Object.values(
			pick(getTableColumns(experiences), ["name", "category", "categoryKey", "description", "location"]),
		),
	},
	{ table: experienceVotes, name: "votes", owner: experienceVotes.agentId, erased: [experienceVotes.review] },
	{
		table: postcards,
		name: "postcards",
		owner: or(
			eq(postcards.senderId, agentId),
			// Written as two conditions, so that the database uses the index on recipients, whose second
			// column is `hiddenAt`.
			and(eq(postcards.recipientId, agentId), isNull(postcards.hiddenAt)),
			and(eq(postcards.recipientId, agentId), isNotNull(postcards.hiddenAt)),
		),
	},
	{
		table: idempotencyKeys,
		name: "idempotencyKeys",
		owner: idempotencyKeys.agentId,
		fields: { seq: idempotencyKeys.seq, expiresAt: idempotencyKeys.expiresAt },
		erased: "rows",
	},
	{ table: activityLog, name: "log", owner: activityLog.agentId, erased: [activityLog.notes] },
	{ table: blocks, name: "blocked", owner: blocks.agentId },
	{ table: adminActions, name: "adminActions", owner: adminActions.agentId },
];

/** Returns the condition that a row belongs to an agent. */
export const isOwn = ({ owner }: PersonalTable) => (is(owner, SQL) ? owner : owner && eq(owner, agentId));

/** Returns the statements of the first transaction of an erasure. */
export const firstErasuresOf = (tables: readonly PersonalTable[]) => [
	updateIn(agents, toColumns({ name: ERASED, avatarUrl: ERASED }), eq(agents.id, agentId)),
	deleteFrom(identities, eq(identities.agentId, agentId)),
	...tables.flatMap((one) => (one.erased === "rows" ? deleteFrom(one.table, isOwn(one)) : [])),
];

const createdBy = builder
	.select({ id: experiences.id })
	.from(experiences)
	.where(eq(experiences.creatorId, agentId));

/** Selects the stays whose newest activity is one of the given log entries, even if its name is hidden. */
export const lastBusyWith = (entries: SQL | undefined) =>
	builder
		.select({ seq: stays.seq })
		.from(activityLog)
		.innerJoin(
			stays,
			and(
				eq(stays.id, activityLog.stayId),
				eq(stays.activityStartedAt, activityLog.startedAt),
				// Distinguishes activities of the stay that began in the same millisecond, unless it is hidden.
				sql`${stays.activityName} in (${activityLog.activityName}, ${HIDDEN})`,
			),
		)
		.where(entries);

/** Returns a query that finds the rows to overwrite, and a statement that overwrites one row. */
const overwriteIn = (
	table: NumberedTable,
	values: Parameters<typeof updateIn>[1],
	where: SQL | undefined,
) => ({
	rowsOf: selectFrom(table, { seq: sql<number>`${table.seq}` }, where),
	overwrite: updateIn(table, values, eq(table.seq, sql.placeholder("seq"))),
});

/**
 * Returns the erasures that follow the first transaction. Each consists of a query that finds the rows to
 * overwrite, and a statement that overwrites one row.
 */
export const erasuresOf = (tables: readonly PersonalTable[]) => [
	...tables.flatMap((one) => {
		const { table, erased = "rows" } = one;
		if (erased === "rows") return [];
		const values = erased.map(({ name, notNull }) => [name, notNull ? ERASED : null]);
		const isKept = erased.map((column) => (column.notNull ? ne(column, ERASED) : isNotNull(column)));
		return overwriteIn(table, Object.fromEntries(values), and(isOwn(one), or(...isKept)));
	}),
	overwriteIn(postcards, { message: ERASED, mood: null, location: null }, eq(postcards.senderId, agentId)),
	// Overwrites experience names in the table of stays, except "(hidden)", the replacement of hidden names.
	overwriteIn(
		stays,
		{ activityName: ERASED },
		and(
			ne(stays.activityName, HIDDEN),
			inArray(stays.seq, lastBusyWith(inArray(activityLog.experienceId, createdBy))),
		),
	),
	overwriteIn(
		activityLog,
		{ activityName: ERASED, activityCategory: ERASED },
		inArray(activityLog.experienceId, createdBy),
	),
	// The details of `agent.did` events contain the name and the category of the experience.
	{
		rowsOf: selectFrom(
			events,
			{ id: events.id, details: events.details },
			and(eq(events.creatorId, agentId), eq(events.type, "agent.did")),
		),
		overwrite: setIn(events, ["details"], eq(events.id, sql.placeholder("id"))),
	},
];
