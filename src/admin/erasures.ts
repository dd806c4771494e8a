/** The statements that overwrite what identifies an agent. */
import {
	and,
	eq,
	inArray,
	isNotNull,
	isNull,
	max,
	type SQL,
	sql,
} from "drizzle-orm";
import { recordOf } from "../lib/record.ts";
import { toColumns } from "../resort/agents/service.ts";
import { alias, builder } from "../store/query.ts";
import {
	deleteFrom,
	type NumberedTable,
	selectFrom,
	setIn,
	updateIn,
} from "../store/table-queries.ts";
import {
	activityLog,
	agents,
	events,
	experiences,
	experienceVotes,
	identities,
	postcards,
	stays,
	webhookDeliveries,
	webhooks,
} from "../store/tables.ts";

const agentId = sql.placeholder("agentId");

/** Replaces an erased text. */
export const ERASED = "(erased)";

/** Returns whether an agent was erased, by its picture: any agent may be named {@link ERASED}, but pictures are URLs. */
export function isErased({
	avatarUrl,
}: Pick<typeof agents.$inferSelect, "avatarUrl">): boolean {
	return avatarUrl === ERASED;
}

/** Archives the active experiences of an agent. */
export const archiveAllOf = setIn(
	experiences,
	["archivedAt"],
	and(eq(experiences.creatorId, agentId), isNull(experiences.archivedAt)),
	{ id: experiences.id, seq: experiences.seq },
);

/** The condition that selects the deliveries to the webhooks of an agent. */
export const deliveriesToAgent = inArray(
	webhookDeliveries.webhookId,
	builder
		.select({ id: webhooks.id })
		.from(webhooks)
		.where(eq(webhooks.agentId, agentId)),
);

/** The first statements of an erasure, which run in one transaction. */
export const firstErasures = [
	updateIn(
		agents,
		toColumns({ name: ERASED, avatarUrl: ERASED }),
		eq(agents.id, agentId),
	),
	updateIn(
		experiences,
		{
			...recordOf(
				["name", "category", "categoryKey", "description", "location"],
				() => ERASED,
			),
			// Not equal to `hiddenAt`: equal times mean that hiding archived it, so that showing it would activate it again.
			archivedAt: sql`case ${experiences.archivedAt} when ${experiences.hiddenAt} then ${experiences.hiddenAt} + 1 else ${experiences.archivedAt} end`,
		},
		eq(experiences.creatorId, agentId),
	),
	deleteFrom(identities, eq(identities.agentId, agentId)),
	deleteFrom(webhookDeliveries, deliveriesToAgent),
	updateIn(
		webhooks,
		{
			url: ERASED,
			secret: ERASED,
			failure: null,
			types: null,
			agentIds: null,
			network: null,
		},
		eq(webhooks.agentId, agentId),
	),
];

const createdBy = (condition?: SQL) =>
	builder
		.select({ id: experiences.id })
		.from(experiences)
		.where(and(eq(experiences.creatorId, agentId), condition));

const later = alias(activityLog, "later");

/** Selects the stays whose newest activity is one of the given log entries. Of equal times the later entry counts. */
export const lastBusyWith = (entries: SQL | undefined) =>
	builder
		.select({ seq: stays.seq })
		.from(activityLog)
		.innerJoin(
			stays,
			and(
				eq(stays.id, activityLog.stayId),
				eq(stays.activityStartedAt, activityLog.startedAt),
			),
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
								// Lets the query use the index, whose first column is the agent.
								eq(later.agentId, stays.agentId),
								eq(later.startedAt, stays.activityStartedAt),
								eq(later.stayId, stays.id),
							),
						),
				),
			),
		);

/** Returns the query for the rows that meet a condition, and the statement that overwrites columns of one of them. */
const overwriteIn = (
	table: NumberedTable,
	values: Parameters<typeof updateIn>[1],
	where: SQL | undefined,
) => ({
	rowsOf: selectFrom(table, { seq: sql<number>`${table.seq}` }, where),
	overwrite: updateIn(table, values, eq(table.seq, sql.placeholder("seq"))),
});

/** What is erased after {@link firstErasures}, in this order: a query for rows, and the statement that overwrites one. */
export const erasures = [
	overwriteIn(
		postcards,
		{ message: ERASED, mood: null, location: null },
		eq(postcards.senderId, agentId),
	),
	overwriteIn(
		experienceVotes,
		{ review: null },
		eq(experienceVotes.agentId, agentId),
	),
	overwriteIn(
		stays,
		{ moodOnArrival: null, moodOnDeparture: null },
		eq(stays.agentId, agentId),
	),
	// Without hidden experiences: their names have already been replaced in the stays.
	overwriteIn(
		stays,
		{ activityName: ERASED },
		inArray(
			stays.seq,
			lastBusyWith(
				inArray(
					activityLog.experienceId,
					createdBy(isNull(experiences.hiddenAt)),
				),
			),
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
	// Events that contain the name of an experience.
	{
		rowsOf: selectFrom(
			events,
			{ id: events.id, details: events.details },
			and(eq(events.creatorId, agentId), eq(events.type, "agent.did")),
		),
		overwrite: setIn(events, ["details"], eq(events.id, sql.placeholder("id"))),
	},
];
