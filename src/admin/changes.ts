/** What only the host may change, as statements. */
import { and, eq, inArray, isNull, max, sql } from "drizzle-orm";
import {
	alias,
	assignments,
	type Builder,
	question,
} from "../store/question.ts";
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

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");
const hiddenAt = sql.placeholder("hiddenAt");

/** Lets an agent that was deactivated come back. */
export const setActive = question({}, (builder) =>
	builder.update(agents).set({ deactivatedAt: null }).where(eq(agents.id, id)),
);

/** Names an agent anew. */
export const setName = question({}, (builder) =>
	builder
		.update(agents)
		.set(assignments(agents, "name"))
		.where(eq(agents.id, id)),
);

/** Hides a postcard, or shows it when `hiddenAt` is null. */
export const setPostcardHidden = question({}, (builder) =>
	builder
		.update(postcards)
		.set(assignments(postcards, "hiddenAt"))
		.where(eq(postcards.id, id)),
);

/** Hides the review of a vote, or shows it when `hiddenAt` is null. */
export const setReviewHidden = question({}, (builder) =>
	builder
		.update(experienceVotes)
		.set(assignments(experienceVotes, "hiddenAt"))
		.where(eq(experienceVotes.id, id)),
);

/** Hides an experience; one that is active is archived at the same moment. */
export const hideExperience = question({}, (builder) =>
	builder
		.update(experiences)
		.set({
			...assignments(experiences, "hiddenAt"),
			archivedAt: sql`coalesce(${experiences.archivedAt}, ${hiddenAt})`,
		})
		.where(eq(experiences.id, id)),
);

/** Shows it again; it is archived only if its creator did that. */
export const showExperience = question({}, (builder) =>
	builder
		.update(experiences)
		.set({
			hiddenAt: null,
			archivedAt: sql`nullif(${experiences.archivedAt}, ${experiences.hiddenAt})`,
		})
		.where(eq(experiences.id, id)),
);

const later = alias(activityLog, "later");

/** Whether nothing was begun after an entry of the log in its stay, also not at the same moment. */
const isLast = (builder: Builder) =>
	eq(
		activityLog.seq,
		builder
			.select({ seq: max(later.seq) })
			.from(later)
			.where(
				and(
					// The index is that of the agent.
					eq(later.agentId, stays.agentId),
					eq(later.startedAt, stays.activityStartedAt),
					eq(later.stayId, stays.id),
				),
			),
	);

/** The stays of those who were busy with an experience last. */
const lastBusyWith = (builder: Builder, experienceIds: "one" | "creator") =>
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
				experienceIds === "one"
					? eq(activityLog.experienceId, id)
					: inArray(activityLog.experienceId, madeBy(builder)),
				isLast(builder),
			),
		);

const madeBy = (builder: Builder) =>
	builder
		.select({ id: experiences.id })
		.from(experiences)
		.where(eq(experiences.creatorId, agentId));

/** Tells another name of an experience where somebody is busy with it. */
export const nameActivity = question({}, (builder) =>
	builder
		.update(stays)
		.set(assignments(stays, "activityName"))
		.where(inArray(stays.seq, lastBusyWith(builder, "one"))),
);

/** What stands in place of a text that was erased. */
export const ERASED = "(erased)";

/** What is overwritten when an agent is erased, in this order. */
export const erasures = [
	question({}, (builder) =>
		builder
			.update(agents)
			.set({
				name: ERASED,
				bio: null,
				relaxationStyle: [],
				comfortObjects: [],
				interests: [],
				avatarUrl: null,
				roomPreference: null,
			})
			.where(eq(agents.id, agentId)),
	),
	question({}, (builder) =>
		builder
			.update(postcards)
			.set({ message: ERASED, mood: null, location: null })
			.where(eq(postcards.senderId, agentId)),
	),
	question({}, (builder) =>
		builder
			.update(experienceVotes)
			.set({ review: null })
			.where(eq(experienceVotes.agentId, agentId)),
	),
	question({}, (builder) =>
		builder
			.update(stays)
			.set({ activityName: ERASED })
			.where(inArray(stays.seq, lastBusyWith(builder, "creator"))),
	),
	question({}, (builder) =>
		builder
			.update(stays)
			.set({ moodOnArrival: null, moodOnDeparture: null })
			.where(eq(stays.agentId, agentId)),
	),
	question({}, (builder) =>
		builder
			.update(activityLog)
			.set({ activityName: ERASED, activityCategory: ERASED })
			.where(inArray(activityLog.experienceId, madeBy(builder))),
	),
	question({}, (builder) =>
		builder
			.update(activityLog)
			.set({ notes: null })
			.where(eq(activityLog.agentId, agentId)),
	),
	question({}, (builder) =>
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
	question({}, (builder) =>
		builder.delete(apiKeys).where(eq(apiKeys.agentId, agentId)),
	),
	question({}, (builder) =>
		builder.delete(sessions).where(eq(sessions.agentId, agentId)),
	),
	question({}, (builder) =>
		builder.delete(identities).where(eq(identities.agentId, agentId)),
	),
	question({}, (builder) =>
		builder
			.delete(webhookDeliveries)
			.where(
				inArray(
					webhookDeliveries.webhookId,
					builder
						.select({ id: webhooks.id })
						.from(webhooks)
						.where(eq(webhooks.agentId, agentId)),
				),
			),
	),
	question({}, (builder) =>
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

/** Archives the experiences of an agent that are not. */
export const archiveAllOf = question(
	{ id: experiences.id },
	(builder, fields) =>
		builder
			.update(experiences)
			.set(assignments(experiences, "archivedAt"))
			.where(
				and(eq(experiences.creatorId, agentId), isNull(experiences.archivedAt)),
			)
			.returning(fields),
);

/** Writes the details of an event anew. */
export const setDetails = question({}, (builder) =>
	builder
		.update(events)
		.set(assignments(events, "details"))
		.where(eq(events.id, id)),
);
