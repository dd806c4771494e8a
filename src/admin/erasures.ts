/** The statements that overwrite what identifies an agent. */
import {
	and,
	eq,
	inArray,
	isNotNull,
	isNull,
	max,
	or,
	type SQL,
	sql,
} from "drizzle-orm";
import { alias, builder, query } from "../store/query.ts";
import {
	deleteFrom,
	setIn,
	slicedUpdate,
	updateIn,
} from "../store/table-queries.ts";
import {
	activityLog,
	agents,
	apiKeys,
	events,
	experiences,
	experienceVotes,
	identities,
	postcards,
	sessions,
	stays,
	webhookDeliveries,
	webhooks,
} from "../store/tables.ts";

const agentId = sql.placeholder("agentId");

/** Replaces an erased text. */
export const ERASED = "(erased)";

/** Whether an agent was erased. Any agent may have this name, but none such a picture: it is no https: URL. */
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

/** The condition of the deliveries to the webhooks of an agent. */
export const deliveriesToAgent = inArray(
	webhookDeliveries.webhookId,
	builder
		.select({ id: webhooks.id })
		.from(webhooks)
		.where(eq(webhooks.agentId, agentId)),
);

const deleteOwn = (
	table: typeof apiKeys | typeof sessions | typeof identities,
) => deleteFrom(table, eq(table.agentId, agentId));

/** The first statements of an erasure, in one change. */
export const firstErasures = [
	updateIn(
		agents,
		{
			name: ERASED,
			bio: null,
			relaxationStyle: [],
			comfortObjects: [],
			interests: [],
			avatarUrl: ERASED,
			roomPreference: null,
		},
		eq(agents.id, agentId),
	),
	updateIn(
		experiences,
		{
			name: ERASED,
			category: ERASED,
			categoryKey: ERASED,
			description: ERASED,
			location: ERASED,
		},
		eq(experiences.creatorId, agentId),
	),
	// Otherwise, to show a hidden experience would activate it again.
	updateIn(
		experiences,
		{ archivedAt: sql`${experiences.hiddenAt} + 1` },
		and(
			eq(experiences.creatorId, agentId),
			eq(experiences.archivedAt, experiences.hiddenAt),
		),
	),
	...[apiKeys, sessions, identities].map(deleteOwn),
	deleteFrom(webhookDeliveries, deliveriesToAgent),
	updateIn(
		webhooks,
		{
			url: ERASED,
			secret: ERASED,
			failure: null,
			types: null,
			agentIds: null,
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

/** The stays whose newest activity is one of some entries of the log, also among those that began at the same moment. */
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
								// The index begins with the agent.
								eq(later.agentId, stays.agentId),
								eq(later.startedAt, stays.activityStartedAt),
								eq(later.stayId, stays.id),
							),
						),
				),
			),
		);

/** The other statements, in the order in which they run. */
export const erasures = [
	slicedUpdate(
		postcards,
		{ message: ERASED, mood: null, location: null },
		eq(postcards.senderId, agentId),
	),
	slicedUpdate(
		experienceVotes,
		{ review: null },
		and(
			eq(experienceVotes.agentId, agentId),
			isNotNull(experienceVotes.review),
		),
	),
	slicedUpdate(
		stays,
		{ moodOnArrival: null, moodOnDeparture: null },
		and(
			eq(stays.agentId, agentId),
			or(isNotNull(stays.moodOnArrival), isNotNull(stays.moodOnDeparture)),
		),
	),
	// A hidden experience is shown as that already.
	slicedUpdate(
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
	slicedUpdate(
		activityLog,
		{ activityName: ERASED, activityCategory: ERASED },
		inArray(activityLog.experienceId, createdBy()),
	),
	slicedUpdate(
		activityLog,
		{ notes: null },
		and(eq(activityLog.agentId, agentId), isNotNull(activityLog.notes)),
	),
];

/** The events that contain the name of an experience of an agent. */
export const eventsNaming = query(
	{ id: events.id, details: events.details },
	(builder, fields) =>
		builder
			.select(fields)
			.from(events)
			.innerJoin(experiences, eq(experiences.id, events.subjectId))
			.where(
				and(eq(events.type, "agent.did"), eq(experiences.creatorId, agentId)),
			),
);

/** Replaces the details of an event. */
export const setDetails = setIn(
	events,
	["details"],
	eq(events.id, sql.placeholder("id")),
);
