/** What only the host may change, as statements. */
import { and, eq, gte, inArray, isNull, max, type SQL, sql } from "drizzle-orm";
import { alias, assignments, type Builder, query } from "../store/query.ts";
import { rangesOf, unindexed } from "../store/ranges.ts";
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

const postcardRanges = rangesOf(postcards, postcards.seq);
const voteRanges = rangesOf(experienceVotes, experienceVotes.seq);
const stayRanges = rangesOf(stays, stays.seq);
/** Of the log of what guests have completed. */
export const logRanges = rangesOf(activityLog, activityLog.seq);

/** Lets an agent that was deactivated come back. */
export const setActive = query({}, (builder) =>
	builder.update(agents).set({ deactivatedAt: null }).where(eq(agents.id, id)),
);

/** Names an agent anew. */
export const setName = query({}, (builder) =>
	builder
		.update(agents)
		.set(assignments(agents, "name"))
		.where(eq(agents.id, id)),
);

/** Hides a postcard, or shows it when `hiddenAt` is null. */
export const setPostcardHidden = query({}, (builder) =>
	builder
		.update(postcards)
		.set(assignments(postcards, "hiddenAt"))
		.where(eq(postcards.id, id)),
);

/** Hides the review of a vote, or shows it when `hiddenAt` is null. */
export const setReviewHidden = query({}, (builder) =>
	builder
		.update(experienceVotes)
		.set(assignments(experienceVotes, "hiddenAt"))
		.where(eq(experienceVotes.id, id)),
);

/** Hides an experience; one that is active is archived at the same moment. */
export const hideExperience = query({}, (builder) =>
	builder
		.update(experiences)
		.set({
			...assignments(experiences, "hiddenAt"),
			archivedAt: sql`coalesce(${experiences.archivedAt}, ${hiddenAt})`,
		})
		.where(eq(experiences.id, id)),
);

/** Shows it again; it is archived only if its creator did that. */
export const showExperience = query({}, (builder) =>
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

/** The stays of those who were last busy with what some entries of the log tell. */
const lastBusyWith = (builder: Builder, entries: SQL | undefined) =>
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
		.where(and(entries, isLast(builder)));

const madeBy = (builder: Builder, condition?: SQL) =>
	builder
		.select({ id: experiences.id })
		.from(experiences)
		.where(and(eq(experiences.creatorId, agentId), condition));

/** Tells another name of an experience where somebody is busy with it, who has begun it since a moment. */
export const nameActivity = query({}, (builder) =>
	builder
		.update(stays)
		.set(assignments(stays, "activityName"))
		.where(
			inArray(
				stays.seq,
				lastBusyWith(
					builder,
					and(
						eq(activityLog.experienceId, id),
						gte(activityLog.startedAt, sql.placeholder("since")),
					),
				),
			),
		),
);

/** What stands in place of a text that was erased. */
export const ERASED = "(erased)";

/** Whether an agent was erased. Any agent may be called so, but none can have such a picture: it is no https: URL. */
export function isErased({
	avatarUrl,
}: Pick<typeof agents.$inferSelect, "avatarUrl">): boolean {
	return avatarUrl === ERASED;
}

/** What is overwritten first when an agent is erased, in one change. */
export const erasures = [
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
	// Else to show one that is hidden would make it active again.
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
	query({}, (builder) =>
		builder.delete(apiKeys).where(eq(apiKeys.agentId, agentId)),
	),
	query({}, (builder) =>
		builder.delete(sessions).where(eq(sessions.agentId, agentId)),
	),
	query({}, (builder) =>
		builder.delete(identities).where(eq(identities.agentId, agentId)),
	),
	query({}, (builder) =>
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

/** What is overwritten then, where there may be much of it: the rows of each table a range at a time. */
export const longErasures = [
	{
		rows: postcardRanges,
		questions: [
			query({}, (builder) =>
				builder
					.update(postcards)
					.set({ message: ERASED, mood: null, location: null })
					.where(
						and(
							postcardRanges.isIn,
							eq(unindexed(postcards.senderId), agentId),
						),
					),
			),
		],
	},
	{
		rows: voteRanges,
		questions: [
			query({}, (builder) =>
				builder
					.update(experienceVotes)
					.set({ review: null })
					.where(
						and(
							voteRanges.isIn,
							eq(unindexed(experienceVotes.agentId), agentId),
						),
					),
			),
		],
	},
	{
		rows: stayRanges,
		questions: [
			query({}, (builder) =>
				builder
					.update(stays)
					.set({ moodOnArrival: null, moodOnDeparture: null })
					.where(and(stayRanges.isIn, eq(unindexed(stays.agentId), agentId))),
			),
		],
	},
	{
		rows: logRanges,
		questions: [
			query({}, (builder) =>
				builder
					.update(stays)
					.set({ activityName: ERASED })
					.where(
						inArray(
							stays.seq,
							lastBusyWith(
								builder,
								// What is hidden is told as that already.
								isOfCreator(builder, isNull(experiences.hiddenAt)),
							),
						),
					),
			),
			query({}, (builder) =>
				builder
					.update(activityLog)
					.set({ activityName: ERASED, activityCategory: ERASED })
					.where(isOfCreator(builder)),
			),
			query({}, (builder) =>
				builder
					.update(activityLog)
					.set({ notes: null })
					.where(
						and(logRanges.isIn, eq(unindexed(activityLog.agentId), agentId)),
					),
			),
		],
	},
];

/** Entries of a range of the log that tell of an agent's experiences, or of some of them. */
function isOfCreator(builder: Builder, some?: SQL): SQL | undefined {
	return and(
		logRanges.isIn,
		inArray(unindexed(activityLog.experienceId), madeBy(builder, some)),
	);
}

/** Archives the experiences of an agent that are not. */
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

/** Writes the details of an event anew. */
export const setDetails = query({}, (builder) =>
	builder
		.update(events)
		.set(assignments(events, "details"))
		.where(eq(events.id, id)),
);
