import {
	and,
	asc,
	count,
	desc,
	eq,
	getTableColumns,
	gte,
	inArray,
	isNotNull,
	isNull,
	or,
	type SQL,
	sql,
} from "drizzle-orm";
import { type NumberedTable, rowsWith } from "../store/key-list.ts";
import { assignments, type Fields, query } from "../store/query.ts";
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
import { deliveriesTo, lastBusyWith } from "./erasures.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");
const hiddenAt = sql.placeholder("hiddenAt");

const agentById = (locks: boolean) =>
	query(
		getTableColumns(agents),
		(builder, fields) =>
			builder.select(fields).from(agents).where(eq(agents.id, id)),
		locks,
	);

/** An agent, deactivated ones included. */
export const anyAgent = agentById(false);

/** Like {@link anyAgent}; the agent and its rows stay locked until the end of the change. */
export const lockedAnyAgent = agentById(true);

/**
 * The agents whose id or name matches, newest first. Names match in any case that the database knows, at least that of
 * ASCII letters.
 */
export const agentsMatching = query(
	{
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
				or(
					eq(agents.id, sql.placeholder("search")),
					// Both sides by the database, so that they fold the same letters.
					sql`lower(${agents.name}) like lower(${sql.placeholder("pattern")}) escape '!'`,
				),
			)
			.orderBy(desc(agents.seq)),
);

/** Lets a deactivated agent come back. */
export const setActive = query({}, (builder) =>
	builder.update(agents).set({ deactivatedAt: null }).where(eq(agents.id, id)),
);

/** Renames an agent. */
export const setName = query({}, (builder) =>
	builder
		.update(agents)
		.set(assignments(agents, "name"))
		.where(eq(agents.id, id)),
);

/** The sessions of an agent without their hashes, newest first. */
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

/** The identity of an agent at an identity provider. */
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
export const staysOf = rowsWith(stays, () => eq(stays.agentId, agentId));

/** All experiences of an agent, archived and hidden ones included. */
export const experiencesOf = rowsWith(experiences, () =>
	eq(experiences.creatorId, agentId),
);

/** All votes of an agent. */
export const votesOf = rowsWith(experienceVotes, () =>
	eq(experienceVotes.agentId, agentId),
);

/** All postcards that an agent has sent or received. */
export const postcardsOf = rowsWith(postcards, () =>
	or(
		eq(postcards.senderId, agentId),
		// The index of recipients separates the two.
		and(eq(postcards.recipientId, agentId), isNull(postcards.hiddenAt)),
		and(eq(postcards.recipientId, agentId), isNotNull(postcards.hiddenAt)),
	),
);

/** The deliveries to the webhooks of an agent. */
export const deliveriesOf = rowsWith(webhookDeliveries, deliveriesTo);

/** The entries of an agent in the activity log. */
export const logOf = rowsWith(activityLog, () =>
	eq(activityLog.agentId, agentId),
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

/** The events of an agent, and those addressed to it. */
export const eventsOf = query(getTableColumns(events), (builder, fields) =>
	builder
		.select(fields)
		.from(events)
		.where(or(eq(events.agentId, agentId), eq(events.recipientId, agentId)))
		.orderBy(asc(events.id)),
);

/** The queries of a kind of text that can be hidden. */
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
		/** One by its id, locked until the end of the change. */
		one: query(
			fields,
			(builder, selected) =>
				builder.select(selected).from(table).where(eq(table.id, id)),
			true,
		),
		/** The hidden ones, the newest first, up to `limit`. */
		newest: query(fields, (builder, selected) =>
			builder
				.select(selected)
				.from(table)
				.where(sql`${table.hiddenAt} is not null`)
				.orderBy(desc(table.hiddenAt))
				.limit(sql.placeholder("limit")),
		),
		/** Hides one, or shows it if `hiddenAt` is null. An experience also needs its `archivedAt` set. */
		setHiddenAt: query({}, (builder) =>
			builder
				.update(table)
				.set(assignments(table, "hiddenAt"))
				.where(eq(table.id, id)),
		),
	};
}

/** What can be hidden, by kind: its author and its text. */
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

/** Hides an experience. An active one is archived at the same moment. */
export const hideExperience = query({}, (builder) =>
	builder
		.update(experiences)
		.set({
			...assignments(experiences, "hiddenAt"),
			archivedAt: sql`coalesce(${experiences.archivedAt}, ${hiddenAt})`,
		})
		.where(eq(experiences.id, id)),
);

/** Shows an experience again. It stays archived if its creator archived it. */
export const showExperience = query({}, (builder) =>
	builder
		.update(experiences)
		.set({
			hiddenAt: null,
			archivedAt: sql`nullif(${experiences.archivedAt}, ${experiences.hiddenAt})`,
		})
		.where(eq(experiences.id, id)),
);

/** Replaces the name of an experience in the open activities that began since a moment. */
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

const countIn = (
	table: NumberedTable | typeof sessions | typeof events,
	condition?: SQL,
) =>
	query({ count: sql<number>`${count()}` }, (builder, fields) =>
		builder.select(fields).from(table).where(condition),
	);

/** How many rows there are of each kind. */
export const counts = {
	agents: countIn(agents),
	deactivated: countIn(agents, isNotNull(agents.deactivatedAt)),
	stays: countIn(stays),
	experiences: countIn(experiences, isNull(experiences.archivedAt)),
	votes: countIn(experienceVotes),
	postcards: countIn(postcards),
	publicPostcards: countIn(postcards, isNull(postcards.recipientId)),
	sessions: countIn(sessions),
	events: countIn(events),
} as const;
