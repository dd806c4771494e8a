/** The queries and statements that find and overwrite an agent's personal data. */
import { and, eq, inArray, isNotNull, isNull, max, type SQL, sql } from "drizzle-orm";
import { recordOf } from "../../core/lib/record.ts";
import { toColumns } from "../../core/resort/agents/service.ts";
import { alias, builder } from "../../core/store/query.ts";
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
	events,
	experiences,
	experienceVotes,
	idempotencyKeys,
	identities,
	postcards,
	stays,
} from "../../core/store/tables.ts";
import { webhookDeliveries, webhooks } from "../webhooks/tables.ts";

const agentId = sql.placeholder("agentId");

/** The replacement for an erased text. */
export const ERASED = "(erased)";

/**
 * Whether an agent was erased. Examines the picture instead of the name, because an agent may call itself
 * {@link ERASED}, but its picture is always a URL or null before the erasure.
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

/** Selects the deliveries to the webhooks of an agent. */
export const deliveriesToAgent = inArray(
	webhookDeliveries.webhookId,
	builder.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.agentId, agentId)),
);

/** The statements of the first transaction of an erasure. */
export const firstErasures = [
	updateIn(agents, toColumns({ name: ERASED, avatarUrl: ERASED }), eq(agents.id, agentId)),
	deleteFrom(identities, eq(identities.agentId, agentId)),
	deleteFrom(idempotencyKeys, eq(idempotencyKeys.agentId, agentId)),
	deleteFrom(webhookDeliveries, deliveriesToAgent),
	updateIn(
		webhooks,
		{ url: ERASED, secret: ERASED, failure: null, types: null, agentIds: null, network: null },
		eq(webhooks.agentId, agentId),
	),
];

const createdBy = (condition?: SQL) =>
	builder
		.select({ id: experiences.id })
		.from(experiences)
		.where(and(eq(experiences.creatorId, agentId), condition));

const later = alias(activityLog, "later");

/**
 * Selects the stays whose newest activity is one of the given log entries. Among entries with the same start
 * time, the one inserted last (highest `seq`) counts as the newest.
 */
export const lastBusyWith = (entries: SQL | undefined) =>
	builder
		.select({ seq: stays.seq })
		.from(activityLog)
		.innerJoin(
			stays,
			and(eq(stays.id, activityLog.stayId), eq(stays.activityStartedAt, activityLog.startedAt)),
		)
		.where(
			and(
				entries,
				eq(
					activityLog.seq,
					builder
						.select({ seq: max(later.seq) })
						.from(later)
						.where(
							and(
								// This condition excludes no row, but lets the database use the index, whose first column is
								// the agent.
								eq(later.agentId, stays.agentId),
								eq(later.startedAt, stays.activityStartedAt),
								eq(later.stayId, stays.id),
							),
						),
				),
			),
		);

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
 * The erasures that follow {@link firstErasures}, in this order. Each consists of a query that finds the rows
 * to overwrite, and a statement that overwrites one row.
 */
export const erasures = [
	overwriteIn(
		experiences,
		recordOf(["name", "category", "categoryKey", "description", "location"], () => ERASED),
		eq(experiences.creatorId, agentId),
	),
	overwriteIn(postcards, { message: ERASED, mood: null, location: null }, eq(postcards.senderId, agentId)),
	overwriteIn(experienceVotes, { review: null }, eq(experienceVotes.agentId, agentId)),
	overwriteIn(stays, { moodOnArrival: null, moodOnDeparture: null }, eq(stays.agentId, agentId)),
	// Overwrites the experience's name in stays. Hidden experiences are excluded, because hiding has already
	// replaced their names.
	overwriteIn(
		stays,
		{ activityName: ERASED },
		inArray(
			stays.seq,
			lastBusyWith(inArray(activityLog.experienceId, createdBy(isNull(experiences.hiddenAt)))),
		),
	),
	overwriteIn(
		activityLog,
		{ activityName: ERASED, activityCategory: ERASED },
		inArray(activityLog.experienceId, createdBy()),
	),
	overwriteIn(
		activityLog,
		{ notes: null },
		and(eq(activityLog.agentId, agentId), isNotNull(activityLog.notes)),
	),
	// Overwrites the details of `agent.did` events, because they contain the name and the category of the
	// experience.
	{
		rowsOf: selectFrom(
			events,
			{ id: events.id, details: events.details },
			and(eq(events.creatorId, agentId), eq(events.type, "agent.did")),
		),
		overwrite: setIn(events, ["details"], eq(events.id, sql.placeholder("id"))),
	},
];
