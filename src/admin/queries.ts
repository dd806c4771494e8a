/** What only the host asks for. */
import {
	and,
	asc,
	count,
	desc,
	eq,
	getTableColumns,
	gt,
	isNotNull,
	isNull,
	lte,
	max,
	or,
	sql,
} from "drizzle-orm";
import { question } from "../store/question.ts";
import {
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

/** An agent, also one that was deactivated. */
export const anyAgent = question(getTableColumns(agents), (builder, fields) =>
	builder.select(fields).from(agents).where(eq(agents.id, id)),
);

/** The number of the newest agent. */
export const newestAgent = question(
	{ seq: sql<number | null>`${max(agents.seq)}` },
	(builder, fields) => builder.select(fields).from(agents),
);

/** Of the agents after number `after`, up to number `to`, those that are searched for; newest first. */
export const agentsBetween = question(
	{
		seq: agents.seq,
		id: agents.id,
		name: agents.name,
		createdAt: agents.createdAt,
		lastActive: agents.lastActive,
		deactivatedAt: agents.deactivatedAt,
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
						sql`lower(${agents.name}) like ${sql.placeholder("pattern")} escape '!'`,
					),
				),
			)
			.orderBy(desc(agents.seq)),
);

/** The sessions of an agent, without what they are found by, newest first. */
export const sessionsOf = question(
	{ createdAt: sessions.createdAt, expiresAt: sessions.expiresAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(sessions)
			.where(eq(sessions.agentId, agentId))
			.orderBy(desc(sessions.createdAt)),
);

/** The key of an agent, without its secret. */
export const keyOf = question(
	{ keyId: apiKeys.keyId, createdAt: apiKeys.createdAt },
	(builder, fields) =>
		builder.select(fields).from(apiKeys).where(eq(apiKeys.agentId, agentId)),
);

/** Who an agent is at an identity provider. */
export const identityOf = question(
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

/** All stays of an agent, oldest first. */
export const staysOf = question(getTableColumns(stays), (builder, fields) =>
	builder
		.select(fields)
		.from(stays)
		.where(eq(stays.agentId, agentId))
		.orderBy(asc(stays.seq)),
);

/** All experiences of an agent, also archived and hidden ones, oldest first. */
export const experiencesOf = question(
	getTableColumns(experiences),
	(builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.where(eq(experiences.creatorId, agentId))
			.orderBy(asc(experiences.seq)),
);

/** The ids of the same. */
export const experienceIdsOf = question(
	{ id: experiences.id, archivedAt: experiences.archivedAt },
	(builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.where(eq(experiences.creatorId, agentId))
			.orderBy(asc(experiences.seq)),
);

/** All votes of an agent, oldest first. */
export const votesOf = question(
	getTableColumns(experienceVotes),
	(builder, fields) =>
		builder
			.select(fields)
			.from(experienceVotes)
			.where(eq(experienceVotes.agentId, agentId))
			.orderBy(asc(experienceVotes.seq)),
);

/** All postcards that an agent has sent, or got, oldest first. */
export const postcardsOf = question(
	getTableColumns(postcards),
	(builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.where(
				or(
					eq(postcards.senderId, agentId),
					// The index of recipients tells both apart.
					and(eq(postcards.recipientId, agentId), isNull(postcards.hiddenAt)),
					and(
						eq(postcards.recipientId, agentId),
						isNotNull(postcards.hiddenAt),
					),
				),
			)
			.orderBy(asc(postcards.seq)),
);

/** The webhooks of an agent, without their secrets. */
export const webhooksOf = question(
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

/** What was sent to the webhooks of an agent. */
export const deliveriesOf = question(
	getTableColumns(webhookDeliveries),
	(builder, fields) =>
		builder
			.select(fields)
			.from(webhookDeliveries)
			.innerJoin(webhooks, eq(webhooks.id, webhookDeliveries.webhookId))
			.where(eq(webhooks.agentId, agentId))
			.orderBy(asc(webhookDeliveries.seq)),
);

/** The number of the newest event. */
export const newestEvent = question(
	{ id: sql<number | null>`${max(events.id)}` },
	(builder, fields) => builder.select(fields).from(events),
);

/** The number of the oldest event. */
export const oldestEvent = question({ id: events.id }, (builder, fields) =>
	builder.select(fields).from(events).orderBy(asc(events.id)).limit(1),
);

const between = and(
	gt(events.id, sql.placeholder("after")),
	lte(events.id, sql.placeholder("to")),
);

/** Of the events after number `after`, up to number `to`, those of an agent or told to it. */
export const eventsOf = question(getTableColumns(events), (builder, fields) =>
	builder
		.select(fields)
		.from(events)
		.where(
			and(
				between,
				or(eq(events.agentId, agentId), eq(events.recipientId, agentId)),
			),
		)
		.orderBy(asc(events.id)),
);

/** Of the same, those that tell of an experience of an agent by its name. */
export const eventsNaming = question(
	{ id: events.id, details: events.details },
	(builder, fields) =>
		builder
			.select(fields)
			.from(events)
			.innerJoin(experiences, eq(experiences.id, events.subjectId))
			.where(
				and(
					between,
					eq(events.type, "agent.did"),
					eq(experiences.creatorId, agentId),
				),
			),
);

/** A postcard by its id. */
export const anyPostcard = question(
	getTableColumns(postcards),
	(builder, fields) =>
		builder.select(fields).from(postcards).where(eq(postcards.id, id)),
);

/** An experience by its id, also an archived one. */
export const anyExperience = question(
	getTableColumns(experiences),
	(builder, fields) =>
		builder.select(fields).from(experiences).where(eq(experiences.id, id)),
);

/** A vote by its id. */
export const anyVote = question(
	getTableColumns(experienceVotes),
	(builder, fields) =>
		builder
			.select(fields)
			.from(experienceVotes)
			.where(eq(experienceVotes.id, id)),
);

/** What is hidden, the newest first, by kind. */
export const hiddenPostcards = question(
	{
		id: postcards.id,
		agentId: postcards.senderId,
		text: postcards.message,
		hiddenAt: sql<number>`${postcards.hiddenAt}`,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.where(sql`${postcards.hiddenAt} is not null`)
			.orderBy(desc(postcards.hiddenAt)),
);
export const hiddenExperiences = question(
	{
		id: experiences.id,
		agentId: experiences.creatorId,
		text: experiences.name,
		hiddenAt: sql<number>`${experiences.hiddenAt}`,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.where(sql`${experiences.hiddenAt} is not null`)
			.orderBy(desc(experiences.hiddenAt)),
);
export const hiddenReviews = question(
	{
		id: experienceVotes.id,
		agentId: experienceVotes.agentId,
		text: experienceVotes.review,
		hiddenAt: sql<number>`${experienceVotes.hiddenAt}`,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(experienceVotes)
			.where(sql`${experienceVotes.hiddenAt} is not null`)
			.orderBy(desc(experienceVotes.hiddenAt)),
);

const counted = { count: sql<number>`${count()}` };

/** How many rows there are, by what they are. */
export const counts = {
	agents: question(counted, (builder, fields) =>
		builder.select(fields).from(agents),
	),
	deactivated: question(counted, (builder, fields) =>
		builder.select(fields).from(agents).where(isNotNull(agents.deactivatedAt)),
	),
	stays: question(counted, (builder, fields) =>
		builder.select(fields).from(stays),
	),
	experiences: question(counted, (builder, fields) =>
		builder
			.select(fields)
			.from(experiences)
			.where(isNull(experiences.archivedAt)),
	),
	votes: question(counted, (builder, fields) =>
		builder.select(fields).from(experienceVotes),
	),
	postcards: question(counted, (builder, fields) =>
		builder.select(fields).from(postcards),
	),
	publicPostcards: question(counted, (builder, fields) =>
		builder.select(fields).from(postcards).where(isNull(postcards.recipientId)),
	),
	sessions: question(counted, (builder, fields) =>
		builder.select(fields).from(sessions),
	),
	events: question(counted, (builder, fields) =>
		builder.select(fields).from(events),
	),
} as const;
