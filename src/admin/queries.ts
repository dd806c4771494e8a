/** What only the host asks for. */
import {
	and,
	asc,
	count,
	desc,
	eq,
	getTableColumns,
	gt,
	inArray,
	isNotNull,
	isNull,
	lte,
	max,
	or,
	sql,
} from "drizzle-orm";
import { manyOf } from "../store/page.ts";
import { type Fields, query } from "../store/query.ts";
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
import { logRanges } from "./changes.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");

/** An agent, also one that was deactivated. */
export const anyAgent = query(getTableColumns(agents), (builder, fields) =>
	builder.select(fields).from(agents).where(eq(agents.id, id)),
);

/** The same, kept with all that is its own from other changes until the end of this one. */
export const lockedAnyAgent = query(
	getTableColumns(agents),
	(builder, fields) =>
		builder.select(fields).from(agents).where(eq(agents.id, id)),
	true,
);

/** The number of the newest agent. */
export const newestAgent = query(
	{ seq: sql<number | null>`${max(agents.seq)}` },
	(builder, fields) => builder.select(fields).from(agents),
);

/**
 * Of the agents after number `after`, up to number `to`, those whose id or name matches what is searched for; newest
 * first. Names match in whatever case the database knows, that of ASCII letters at least.
 */
export const agentsBetween = query(
	{
		seq: agents.seq,
		id: agents.id,
		name: agents.name,
		createdAt: agents.createdAt,
		lastActive: agents.lastActive,
		deactivatedAt: agents.deactivatedAt,
		avatarUrl: agents.avatarUrl,
		checkedInAt: sql<number | null>`${stays.checkedInAt}`,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(agents)
			.leftJoin(
				stays,
				and(eq(stays.agentId, agents.id), isNull(stays.checkedOutAt)),
			)
			.where(
				and(
					gt(agents.seq, sql.placeholder("after")),
					lte(agents.seq, sql.placeholder("to")),
					or(
						eq(agents.id, sql.placeholder("search")),
						// Both by the database: what it takes for the same letter must be so on both sides.
						sql`lower(${agents.name}) like lower(${sql.placeholder("pattern")}) escape '!'`,
					),
				),
			)
			.orderBy(desc(agents.seq)),
);

/** The sessions of an agent, without what they are found by, newest first. */
export const sessionsOf = query(
	{ createdAt: sessions.createdAt, expiresAt: sessions.expiresAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(sessions)
			.where(eq(sessions.agentId, agentId))
			.orderBy(desc(sessions.createdAt)),
);

/** The key of an agent, without its secret. */
export const keyOf = query(
	{ keyId: apiKeys.keyId, createdAt: apiKeys.createdAt },
	(builder, fields) =>
		builder.select(fields).from(apiKeys).where(eq(apiKeys.agentId, agentId)),
);

/** Who an agent is at an identity provider. */
export const identityOf = query(
	{
		issuer: identities.issuer,
		subject: identities.subject,
		createdAt: identities.createdAt,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(identities)
			.where(eq(identities.agentId, agentId)),
);

/** All stays of an agent. */
export const staysOf = manyOf(stays, () => eq(stays.agentId, agentId));

/** All experiences of an agent, also archived and hidden ones. */
export const experiencesOf = manyOf(experiences, () =>
	eq(experiences.creatorId, agentId),
);

/** All votes of an agent. */
export const votesOf = manyOf(experienceVotes, () =>
	eq(experienceVotes.agentId, agentId),
);

/** All postcards that an agent has sent, or got. */
export const postcardsOf = manyOf(postcards, () =>
	or(
		eq(postcards.senderId, agentId),
		// The index of recipients tells both apart.
		and(eq(postcards.recipientId, agentId), isNull(postcards.hiddenAt)),
		and(eq(postcards.recipientId, agentId), isNotNull(postcards.hiddenAt)),
	),
);

/** What was sent to the webhooks of an agent. */
export const deliveriesOf = manyOf(webhookDeliveries, (builder) =>
	inArray(
		webhookDeliveries.webhookId,
		builder
			.select({ id: webhooks.id })
			.from(webhooks)
			.where(eq(webhooks.agentId, agentId)),
	),
);

/** The webhooks of an agent, without their secrets. */
export const webhooksOf = query(
	{
		id: webhooks.id,
		url: webhooks.url,
		types: webhooks.types,
		agentIds: webhooks.agentIds,
		state: webhooks.state,
		createdAt: webhooks.createdAt,
		lastDeliveryAt: webhooks.lastDeliveryAt,
		failure: webhooks.failure,
		failingSince: webhooks.failingSince,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(webhooks)
			.where(eq(webhooks.agentId, agentId))
			.orderBy(asc(webhooks.seq)),
);

/** The ranges of the events. */
export const eventRanges = rangesOf(events, events.id);

/** Of a range of the events, those of an agent or told to it. */
export const eventsOf = query(getTableColumns(events), (builder, fields) =>
	builder
		.select(fields)
		.from(events)
		.where(
			and(
				eventRanges.isIn,
				or(eq(events.agentId, agentId), eq(events.recipientId, agentId)),
			),
		)
		.orderBy(asc(events.id)),
);

/** Of the same, those that tell of an experience of an agent by its name. */
export const eventsNaming = query(
	{ id: events.id, details: events.details },
	(builder, fields) =>
		builder
			.select(fields)
			.from(events)
			.innerJoin(experiences, eq(experiences.id, events.subjectId))
			.where(
				and(
					eventRanges.isIn,
					eq(events.type, "agent.did"),
					eq(experiences.creatorId, agentId),
				),
			),
);

/** Of a range of the log, the entries of an agent. */
export const logOf = query(getTableColumns(activityLog), (builder, fields) =>
	builder
		.select(fields)
		.from(activityLog)
		.where(and(logRanges.isIn, eq(unindexed(activityLog.agentId), agentId)))
		.orderBy(asc(activityLog.seq)),
);

/** Questions about a kind of text that can be hidden. */
function hideable<F extends Fields>(
	table: typeof postcards | typeof experiences | typeof experienceVotes,
	own: F,
) {
	const fields = {
		id: table.id,
		hiddenAt: sql<number | null>`${table.hiddenAt}`,
		...own,
	};
	return {
		/** One by its id, kept from other changes until the end of this one. */
		one: query(
			fields,
			(builder, shown) =>
				builder.select(shown).from(table).where(eq(table.id, id)),
			true,
		),
		/** Those that are hidden, the newest first, up to `limit`. */
		newest: query(fields, (builder, shown) =>
			builder
				.select(shown)
				.from(table)
				.where(sql`${table.hiddenAt} is not null`)
				.orderBy(desc(table.hiddenAt))
				.limit(sql.placeholder("limit")),
		),
	};
}

/** What can be hidden, by kind: who wrote it, and what it says. */
export const hideables = {
	postcard: hideable(postcards, {
		agentId: postcards.senderId,
		text: sql<string | null>`${postcards.message}`,
	}),
	experience: hideable(experiences, {
		agentId: experiences.creatorId,
		text: sql<string | null>`${experiences.name}`,
		archivedAt: experiences.archivedAt,
		durationMinutes: experiences.durationMinutes,
	}),
	review: hideable(experienceVotes, {
		agentId: experienceVotes.agentId,
		text: experienceVotes.review,
	}),
};

const counted = { count: sql<number>`${count()}` };

/** How many rows there are, by what they are. */
export const counts = {
	agents: query(counted, (builder, fields) =>
		builder.select(fields).from(agents),
	),
	deactivated: query(counted, (builder, fields) =>
		builder.select(fields).from(agents).where(isNotNull(agents.deactivatedAt)),
	),
	stays: query(counted, (builder, fields) =>
		builder.select(fields).from(stays),
	),
	experiences: query(counted, (builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.where(isNull(experiences.archivedAt)),
	),
	votes: query(counted, (builder, fields) =>
		builder.select(fields).from(experienceVotes),
	),
	postcards: query(counted, (builder, fields) =>
		builder.select(fields).from(postcards),
	),
	publicPostcards: query(counted, (builder, fields) =>
		builder.select(fields).from(postcards).where(isNull(postcards.recipientId)),
	),
	sessions: query(counted, (builder, fields) =>
		builder.select(fields).from(sessions),
	),
	events: query(counted, (builder, fields) =>
		builder.select(fields).from(events),
	),
} as const;
