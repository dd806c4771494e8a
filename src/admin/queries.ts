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
import { listQueries } from "../store/list-query.ts";
import { query } from "../store/query.ts";
import {
	countIn,
	insertInto,
	type NumberedTable,
	selectFrom,
	setIn,
	type updateIn,
} from "../store/table-queries.ts";
import {
	activityLog,
	adminActions,
	agents,
	blocks,
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

const byId = eq(agents.id, id);

/** An agent by its id, even a deactivated one. */
export const anyAgent = selectFrom(agents, getTableColumns(agents), byId);

/** Like {@link anyAgent}, but locks the agent and its rows until the end of the transaction. */
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

/** Renames an agent. */
export const setName = setIn(agents, ["name"], byId);

/** Sets when all texts of an agent were hidden. */
export const setTextsHiddenAt = setIn(agents, ["textsHiddenAt"], byId);

/** The sessions of an agent without their hashes, newest first. */
export const sessionsOf = selectFrom(
	sessions,
	{ createdAt: sessions.createdAt, expiresAt: sessions.expiresAt },
	eq(sessions.agentId, agentId),
	{ orderBy: [desc(sessions.createdAt)] },
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

/** Selects the rows of a table that meet a condition, oldest first. */
const oldestFirst = <T extends NumberedTable>(
	table: T,
	where: SQL | undefined,
) =>
	selectFrom(table, getTableColumns(table), where, {
		orderBy: [asc(table.seq)],
	});

const { secret, ...columnsOfWebhooks } = getTableColumns(webhooks);

/** The lists in the export of an agent's data, by table. Tables with one row for each agent are read separately. */
export const exportedRows = {
	sessions: sessionsOf,
	stays: oldestFirst(stays, eq(stays.agentId, agentId)),
	experiences: oldestFirst(experiences, eq(experiences.creatorId, agentId)),
	votes: oldestFirst(experienceVotes, eq(experienceVotes.agentId, agentId)),
	postcards: oldestFirst(
		postcards,
		or(
			eq(postcards.senderId, agentId),
			// Two conditions, because the index of recipients keeps hidden postcards apart from the others.
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
	blocked: selectFrom(
		blocks,
		getTableColumns(blocks),
		eq(blocks.agentId, agentId),
		{ orderBy: [asc(blocks.createdAt)] },
	),
	adminActions: oldestFirst(adminActions, eq(adminActions.agentId, agentId)),
	events: selectFrom(
		events,
		getTableColumns(events),
		or(eq(events.agentId, agentId), eq(events.recipientId, agentId)),
		{ orderBy: [asc(events.id)] },
	),
};

/** A text that can be hidden. */
export interface HideableText {
	readonly id: string;
	/** The author. */
	readonly agentId: string;
	readonly text: string | null;
	readonly hiddenAt: number | null;
	/** When an experience was archived. */
	readonly archivedAt: number | null;
	/** How long an experience takes; 0 for other texts. */
	readonly durationMinutes: number;
}

/** The queries of a kind of text that can be hidden. */
function hideable(
	table: typeof postcards | typeof experiences | typeof experienceVotes,
	own: { readonly agentId: SQL<string>; readonly text: SQL<string | null> },
	setHiddenAt: ReturnType<typeof updateIn>,
	newest: SQL = sql`${table.hiddenAt}`,
) {
	const isOwn = sql`${own.agentId} = ${agentId}`;
	const ids = { id: sql<string>`${table.id}` };
	const fields = {
		id: sql<string>`${table.id}`,
		hiddenAt: sql<number | null>`${table.hiddenAt}`,
		archivedAt: sql<number | null>`null`,
		durationMinutes: sql<number>`0`,
		...own,
	};
	return {
		/** A text by its id. */
		found: selectFrom(table, fields, eq(table.id, id)),
		/** A text by its id, locked until the end of the transaction. */
		one: selectFrom(table, fields, eq(table.id, id), { locks: true }),
		/** All hidden texts of this kind, the last hidden first. */
		newest: selectFrom(table, fields, sql`${table.hiddenAt} is not null`, {
			orderBy: [desc(table.hiddenAt)],
		}),
		/** The texts of an agent that are not hidden. */
		shownOf: selectFrom(
			table,
			ids,
			and(isOwn, isNull(table.hiddenAt), sql`${own.text} is not null`),
		),
		/** The texts of an agent that were hidden at a given time. */
		hiddenOf: selectFrom(
			table,
			ids,
			and(isOwn, eq(table.hiddenAt, sql.placeholder("hiddenAt"))),
		),
		/** The latest time at which a text of an agent was hidden or archived. */
		newestOf: selectFrom(
			table,
			{ at: sql<number | null>`max(${newest})` },
			isOwn,
		),
		/** Hides a text, or shows it if `hiddenAt` is null. For an experience it also sets `archivedAt`. */
		setHiddenAt,
	};
}

const ofExperience = {
	agentId: sql<string>`${experiences.creatorId}`,
	text: sql<string | null>`${experiences.name}`,
	archivedAt: sql<number | null>`${experiences.archivedAt}`,
	durationMinutes: sql<number>`${experiences.durationMinutes}`,
};

/** The queries of the texts that can be hidden, by kind. */
export const hideables = {
	postcard: hideable(
		postcards,
		{
			agentId: sql`${postcards.senderId}`,
			text: sql`${postcards.message}`,
		},
		setIn(postcards, ["hiddenAt"], eq(postcards.id, id)),
	),
	experience: hideable(
		experiences,
		ofExperience,
		setIn(experiences, ["hiddenAt", "archivedAt"], eq(experiences.id, id)),
		sql`case when ${experiences.archivedAt} > coalesce(${experiences.hiddenAt}, 0) then ${experiences.archivedAt} else ${experiences.hiddenAt} end`,
	),
	review: hideable(
		experienceVotes,
		{
			agentId: sql`${experienceVotes.agentId}`,
			text: sql`${experienceVotes.review}`,
		},
		setIn(experienceVotes, ["hiddenAt"], eq(experienceVotes.id, id)),
	),
};

/** Replaces the name of an experience in stays whose newest activity it is, if that began at `since` or later. */
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

/** Records what the host did. */
export const insertAction = insertInto(adminActions);

/** What the host did, newest first, with the current names of the agents. */
const actionsWhere = (where?: SQL) =>
	listQueries(
		{
			at: adminActions.at,
			command: adminActions.command,
			agentId: adminActions.agentId,
			agentName: sql<string | null>`${agents.name}`,
			subjectId: adminActions.subjectId,
			systemUser: adminActions.systemUser,
		},
		{
			table: adminActions,
			where,
			order: [],
			joins: [
				{
					table: agents,
					on: eq(agents.id, adminActions.agentId),
					isLeft: true,
				},
			],
		},
	);

/** Everything that the host did. */
export const allActions = actionsWhere();

/** What the host did that concerned an agent. */
export const actionsOnAgent = actionsWhere(eq(adminActions.agentId, agentId));

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
