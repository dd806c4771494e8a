import {
	and,
	asc,
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
import { assignments, type Fields, query } from "../store/query.ts";
import {
	countIn,
	type NumberedTable,
	selectFrom,
	setIn,
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
import { deliveriesToAgent, lastBusyWith } from "./erasures.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");
const hiddenAt = sql.placeholder("hiddenAt");

const byId = eq(agents.id, id);

/** An agent, deactivated ones included. */
export const anyAgent = selectFrom(agents, getTableColumns(agents), byId);

/** Like {@link anyAgent}; the agent and its rows stay locked until the end of the change. */
export const lockedAnyAgent = selectFrom(
	agents,
	getTableColumns(agents),
	byId,
	{ locks: true },
);

/** All agents, newest first, with the beginning of their open stays. */
export const allAgents = query(
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
			.orderBy(desc(agents.seq)),
);

/** Lets a deactivated agent come back. */
export const setActive = updateIn(agents, { deactivatedAt: null }, byId);

/** Renames an agent. */
export const setName = setIn(agents, ["name"], byId);

/** The sessions of an agent without their hashes, newest first. */
export const sessionsOf = selectFrom(
	sessions,
	{ createdAt: sessions.createdAt, expiresAt: sessions.expiresAt },
	eq(sessions.agentId, agentId),
	{ orderBy: [desc(sessions.createdAt)] },
);

/** The key of an agent, without its secret. */
export const keyOf = selectFrom(
	apiKeys,
	{ keyId: apiKeys.keyId, createdAt: apiKeys.createdAt },
	eq(apiKeys.agentId, agentId),
);

/** The identity of an agent at an identity provider. */
export const identityOf = selectFrom(
	identities,
	{
		issuer: identities.issuer,
		subject: identities.subject,
		createdAt: identities.createdAt,
	},
	eq(identities.agentId, agentId),
);

/** Selects the rows of a table with a condition, oldest first. */
const oldestFirst = <T extends NumberedTable>(
	table: T,
	where: SQL | undefined,
) =>
	selectFrom(table, getTableColumns(table), where, {
		orderBy: [asc(table.seq)],
	});

const { secret, ...columnsOfWebhooks } = getTableColumns(webhooks);

/** What an export contains by table, apart from what an agent has only one of. */
export const exportedRows = {
	sessions: sessionsOf,
	stays: oldestFirst(stays, eq(stays.agentId, agentId)),
	experiences: oldestFirst(experiences, eq(experiences.creatorId, agentId)),
	votes: oldestFirst(experienceVotes, eq(experienceVotes.agentId, agentId)),
	postcards: oldestFirst(
		postcards,
		or(
			eq(postcards.senderId, agentId),
			// The index of recipients separates the two.
			and(eq(postcards.recipientId, agentId), isNull(postcards.hiddenAt)),
			and(eq(postcards.recipientId, agentId), isNotNull(postcards.hiddenAt)),
		),
	),
	webhooks: selectFrom(
		webhooks,
		columnsOfWebhooks,
		eq(webhooks.agentId, agentId),
		{ orderBy: [asc(webhooks.seq)] },
	),
	deliveries: oldestFirst(webhookDeliveries, deliveriesToAgent),
	log: oldestFirst(activityLog, eq(activityLog.agentId, agentId)),
	events: selectFrom(
		events,
		getTableColumns(events),
		or(eq(events.agentId, agentId), eq(events.recipientId, agentId)),
		{ orderBy: [asc(events.id)] },
	),
};

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
	const isNamed = eq(table.id, id);
	return {
		/** One by its id, locked until the end of the change. */
		one: selectFrom(table, fields, isNamed, { locks: true }),
		/** The hidden ones, the newest first, up to `limit`. */
		newest: selectFrom(table, fields, sql`${table.hiddenAt} is not null`, {
			orderBy: [desc(table.hiddenAt)],
			limit: sql.placeholder("limit"),
		}),
		/** Hides one, or shows it if `hiddenAt` is null. An experience also needs its `archivedAt` set. */
		setHiddenAt: updateIn(table, assignments(table, "hiddenAt"), isNamed),
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
export const hideExperience = updateIn(
	experiences,
	{
		...assignments(experiences, "hiddenAt"),
		archivedAt: sql`coalesce(${experiences.archivedAt}, ${hiddenAt})`,
	},
	eq(experiences.id, id),
);

/** Shows an experience again. It stays archived if its creator archived it. */
export const showExperience = updateIn(
	experiences,
	{
		hiddenAt: null,
		archivedAt: sql`nullif(${experiences.archivedAt}, ${experiences.hiddenAt})`,
	},
	eq(experiences.id, id),
);

/** Replaces the name of an experience in the open activities that began since a moment. */
export const nameActivity = setIn(
	stays,
	["activityName"],
	inArray(
		stays.seq,
		lastBusyWith(
			and(
				eq(activityLog.experienceId, id),
				gte(activityLog.startedAt, sql.placeholder("since")),
			),
		),
	),
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
