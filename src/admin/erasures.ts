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
import { slicedUpdate } from "../store/key-list.ts";
import { alias, assignments, type Builder, query } from "../store/query.ts";
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
export const archiveAllOf = query(
	{ id: experiences.id, seq: experiences.seq },
	(builder, fields) =>
		builder
			.update(experiences)
			.set(assignments(experiences, "archivedAt"))
			.where(
				and(eq(experiences.creatorId, agentId), isNull(experiences.archivedAt)),
			)
			.returning(fields),
);

/** The condition of the deliveries to the webhooks of an agent. */
export const deliveriesTo = (builder: Builder) =>
	inArray(
		webhookDeliveries.webhookId,
		builder
			.select({ id: webhooks.id })
			.from(webhooks)
			.where(eq(webhooks.agentId, agentId)),
	);

const deleteOwn = (
	table: typeof apiKeys | typeof sessions | typeof identities,
) =>
	query({}, (builder) =>
		builder.delete(table).where(eq(table.agentId, agentId)),
	);

/** The first statements of an erasure, in one change. */
export const firstErasures = [
	query({}, (builder) =>
		builder
			.update(agents)
			.set({
				name: ERASED,
				bio: null,
				relaxationStyle: [],
				comfortObjects: [],
				interests: [],
				avatarUrl: ERASED,
				roomPreference: null,
			})
			.where(eq(agents.id, agentId)),
	),
	query({}, (builder) =>
		builder
			.update(experiences)
			.set({
				name: ERASED,
				category: ERASED,
				categoryKey: ERASED,
				description: ERASED,
				location: ERASED,
			})
			.where(eq(experiences.creatorId, agentId)),
	),
	// Otherwise, to show a hidden experience would activate it again.
	query({}, (builder) =>
		builder
			.update(experiences)
			.set({ archivedAt: sql`${experiences.hiddenAt} + 1` })
			.where(
				and(
					eq(experiences.creatorId, agentId),
					eq(experiences.archivedAt, experiences.hiddenAt),
				),
			),
	),
	...[apiKeys, sessions, identities].map(deleteOwn),
	query({}, (builder) =>
		builder.delete(webhookDeliveries).where(deliveriesTo(builder)),
	),
	query({}, (builder) =>
		builder
			.update(webhooks)
			.set({
				url: ERASED,
				secret: ERASED,
				failure: null,
				types: null,
				agentIds: null,
			})
			.where(eq(webhooks.agentId, agentId)),
	),
];

const createdBy = (builder: Builder, condition?: SQL) =>
	builder
		.select({ id: experiences.id })
		.from(experiences)
		.where(and(eq(experiences.creatorId, agentId), condition));

const later = alias(activityLog, "later");

/** The stays whose newest activity is one of some entries of the log, also among those that began at the same moment. */
export const lastBusyWith = (builder: Builder, entries: SQL | undefined) =>
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
	slicedUpdate(postcards, { message: ERASED, mood: null, location: null }, () =>
		eq(postcards.senderId, agentId),
	),
	slicedUpdate(experienceVotes, { review: null }, () =>
		and(
			eq(experienceVotes.agentId, agentId),
			isNotNull(experienceVotes.review),
		),
	),
	slicedUpdate(stays, { moodOnArrival: null, moodOnDeparture: null }, () =>
		and(
			eq(stays.agentId, agentId),
			or(isNotNull(stays.moodOnArrival), isNotNull(stays.moodOnDeparture)),
		),
	),
	// A hidden experience is shown as that already.
	slicedUpdate(stays, { activityName: ERASED }, (builder) =>
		inArray(
			stays.seq,
			lastBusyWith(
				builder,
				inArray(
					activityLog.experienceId,
					createdBy(builder, isNull(experiences.hiddenAt)),
				),
			),
		),
	),
	slicedUpdate(
		activityLog,
		{ activityName: ERASED, activityCategory: ERASED },
		(builder) => inArray(activityLog.experienceId, createdBy(builder)),
	),
	slicedUpdate(activityLog, { notes: null }, () =>
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
export const setDetails = query({}, (builder) =>
	builder
		.update(events)
		.set(assignments(events, "details"))
		.where(eq(events.id, sql.placeholder("id"))),
);
