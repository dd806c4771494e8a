import {
	and,
	desc,
	eq,
	getTableColumns,
	gt,
	gte,
	inArray,
	isNotNull,
	isNull,
	lt,
	lte,
	or,
	type SQL,
	sql,
} from "drizzle-orm";
import { type Join, type ListDefinition, listQueries } from "../../core/store/list-query.ts";
import type { HideableTexts, PersonalTable } from "../../core/store/personal-table.ts";
import type { Fields, PreparedQuery, Row } from "../../core/store/query.ts";
import type { Store } from "../../core/store/store.ts";
import {
	countIn,
	deleteFrom,
	insertInto,
	selectFrom,
	setIn,
	updateIn,
} from "../../core/store/table-queries.ts";
import {
	activityLog,
	agents,
	events,
	experiences,
	experienceVotes,
	identities,
	postcards,
	sessions,
	stays,
} from "../../core/store/tables.ts";
import { erasuresOf, firstErasuresOf, isOwn, lastBusyWith, ownTables } from "./erasures.ts";
import { ROWS_AT_ONCE } from "./read-parts.ts";
import { adminActions, adminTokens } from "./tables.ts";

const id = sql.placeholder("id");
const agentId = sql.placeholder("agentId");

const byId = eq(agents.id, id);

const nothing = sql<string | null>`null`;

/** Selects an agent by its id, even a deactivated one. */
export const anyAgent = selectFrom(agents, getTableColumns(agents), byId);

/** Selects the same as {@link anyAgent}, and locks the agent's row until the end of the transaction. */
export const lockedAnyAgent = selectFrom(agents, getTableColumns(agents), byId, { locks: true });

/** The fields of a listed agent. `stayId` and `endsBy` are null if the agent has no open stay. */
const listedAgent = {
	seq: agents.seq,
	id: agents.id,
	name: agents.name,
	createdAt: agents.createdAt,
	lastActive: agents.lastActive,
	deactivatedAt: agents.deactivatedAt,
	textsHiddenAt: agents.textsHiddenAt,
	avatarUrl: agents.avatarUrl,
	stayId: sql<string | null>`${stays.id}`,
	endsBy: stays.endsBy,
};

const openStay: Join = {
	table: stays,
	on: sql`${stays.agentId} = ${agents.id} and ${stays.checkedOutAt} is null`,
	isLeft: true,
};

/** Creates the queries of a list that can be searched. */
const searchable = <F extends Fields>(fields: F, definition: Omit<ListDefinition, "order">) => {
	const { table, where, joins = [] } = definition;
	return {
		all: listQueries(fields, definition),
		before: selectFrom(table, fields, and(where, lt(table.seq, sql.placeholder("seq"))), {
			joins,
			orderBy: [desc(table.seq)],
			limit: ROWS_AT_ONCE,
		}),
	};
};

/** The list of all agents, newest first. */
export const listedAgents = searchable(listedAgent, { table: agents, where: undefined, joins: [openStay] });

/** An agent in a list. */
export type AgentRow = RowOf<typeof listedAgents.before>;

/** The list of the agents that `hide agent` has hidden. The most recently hidden come first. */
export const hiddenAgents = listQueries(
	{
		id: agents.id,
		agentId: agents.id,
		agentName: agents.name,
		text: agents.bio,
		about: nothing,
		hiddenAt: agents.textsHiddenAt,
	},
	{ table: agents, where: isNotNull(agents.textsHiddenAt), order: [agents.textsHiddenAt] },
);

/** Renames an agent. */
export const setName = setIn(agents, ["name"], byId);

/** Sets the time at which `hide agent` hid all texts of an agent; null after `show agent`. */
export const setTextsHiddenAt = setIn(agents, ["textsHiddenAt"], byId);

/** Selects the sessions of an agent without the hashes of their tokens, newest first. */
export const sessionsOf = selectFrom(
	sessions,
	{ createdAt: sessions.createdAt, expiresAt: sessions.expiresAt },
	eq(sessions.agentId, agentId),
	{ orderBy: [desc(sessions.createdAt)] },
);

/** Selects the identity of an agent at the identity provider. */
export const identityOf = selectFrom(
	identities,
	{ issuer: identities.issuer, subject: identities.subject, createdAt: identities.createdAt },
	eq(identities.agentId, agentId),
);

/**
 * Returns the queries for the lists in the export of an agent's data. They do not sort rows: PostgreSQL would
 * then read the whole table in the order of an index. Tables with at most one row for each agent, such as
 * keys, are read separately.
 */
const exportsOf = (tables: readonly PersonalTable[]) => ({
	sessions: sessionsOf,
	...Object.fromEntries(
		tables.map((one) => [
			one.name,
			selectFrom(one.table, one.fields ?? getTableColumns(one.table), isOwn(one)),
		]),
	),
	// No index finds the events of an agent, so this reads all events, of which there are at most a million.
	events: selectFrom(
		events,
		getTableColumns(events),
		or(eq(events.agentId, agentId), eq(events.recipientId, agentId)),
	),
});

/** One kind of text that can be hidden, with the expressions that differ between kinds. */
interface HideableKind extends HideableTexts {
	/** What else the host should know about a text. */
	readonly about?: SQL<string | null>;
	/** The whole text, if it consists of more columns than `text`. */
	readonly whole?: SQL<string | null>;
}

/** Creates the queries for one kind of text that can be hidden. */
function hideable({ table, about = nothing, ...kind }: HideableKind) {
	const own = { agentId: sql<string>`${kind.agentId}`, text: sql<string | null>`${kind.text}` };
	const { whole = own.text } = kind;
	const isOwn = sql`${own.agentId} = ${agentId}`;
	const ids = { id: sql<string>`${table.id}` };
	const fields = {
		...ids,
		hiddenAt: sql<number | null>`${table.hiddenAt}`,
		archivedAt: sql<number | null>`${"archivedAt" in table ? table.archivedAt : null}`,
		...own,
	};
	const listed = {
		...ids,
		seq: sql<number>`${table.seq}`,
		agentId: own.agentId,
		agentName: sql<string>`${agents.name}`,
		text: whole,
		about,
		createdAt: sql<number>`${table.createdAt}`,
		hiddenAt: fields.hiddenAt,
	};
	const author = { table: agents, on: sql`${agents.id} = ${own.agentId}` };
	const isText = sql`${own.text} is not null`;
	return {
		listed: searchable(listed, { table, where: isText, joins: [author] }),
		/** The list of the texts of one author. */
		listedOf: searchable(listed, { table, where: and(isText, isOwn), joins: [author] }),
		found: selectFrom(table, fields, eq(table.id, id)),
		one: selectFrom(table, fields, eq(table.id, id), { locks: true }),
		/** The list of the hidden texts of this kind. The most recently hidden come first. */
		hidden: listQueries(
			{ ...listed, text: own.text },
			{ table, where: isNotNull(table.hiddenAt), order: [sql`${table.hiddenAt}`], joins: [author] },
		),
		shownOf: selectFrom(table, ids, and(isOwn, isNull(table.hiddenAt), isText)),
		/** Selects the ids of an agent's texts that were hidden exactly at `hiddenAt`. */
		hiddenOf: selectFrom(table, ids, and(isOwn, eq(table.hiddenAt, sql.placeholder("hiddenAt")))),
		/** Hides a text, or shows it if `hiddenAt` is null. Also sets `archivedAt` of an experience. */
		setHiddenAt: updateIn(
			table,
			{
				hiddenAt: sql.placeholder("hiddenAt"),
				...("archivedAt" in table && { archivedAt: sql.placeholder("archivedAt") }),
			},
			eq(table.id, id),
		),
	};
}

/** The queries for one kind of text that can be hidden. */
export type Hideable = ReturnType<typeof hideable>;

const recipientName = sql`(select name from ${agents} as recipient where recipient.id = ${postcards.recipientId})`;
const nameOfRated = sql`(select name from ${experiences} where ${experiences.id} = ${experienceVotes.experienceId})`;

/** The texts of the core. */
const ownTexts: readonly HideableKind[] = [
	{
		kind: "postcard",
		table: postcards,
		agentId: postcards.senderId,
		text: postcards.message,
		whole: sql`${postcards.message} || coalesce(' · ' || ${postcards.mood}, '') || coalesce(' · ' || ${postcards.location}, '')`,
		about: sql`coalesce('private, to ' || ${recipientName}, 'public')`,
	},
	{
		kind: "experience",
		table: experiences,
		agentId: experiences.creatorId,
		text: experiences.name,
		whole: sql`${experiences.name} || ': ' || ${experiences.description} || ' · ' || ${experiences.category} || ' · ' || ${experiences.location}`,
	},
	{
		kind: "review",
		table: experienceVotes,
		agentId: experienceVotes.agentId,
		text: experienceVotes.review,
		about: sql`${experienceVotes.rating} || ' of 5 for ' || ${nameOfRated}`,
	},
];

/** The queries on the data of agents in all tables. */
export type PersonalData = ReturnType<typeof createPersonalData>;

/**
 * Creates the queries on the data of agents.
 * @param ofFeatures the tables of other features
 */
export function createPersonalData(ofFeatures: readonly PersonalTable[]) {
	const tables = [...ownTables, ...ofFeatures];
	const texts = [...ownTexts, ...ofFeatures.flatMap((table) => table.texts ?? [])];
	return {
		/** The lists in the export of an agent's data, by name. */
		exportedRows: exportsOf(tables),
		firstErasures: firstErasuresOf(tables),
		erasures: erasuresOf(tables),
		/** The texts that can be hidden, by kind. */
		hideables: new Map(texts.map((one) => [one.kind, hideable(one)])),
	};
}

type RowOf<Query> = Query extends (store: Store) => PreparedQuery<infer F> ? Row<F> : never;

/** A text that can be hidden. Only experiences have an `archivedAt`. */
export type HideableText = RowOf<Hideable["one"]>;

/** A text in the lists of `resort admin`. */
export type ListedText = RowOf<Hideable["listed"]["before"]>;

/**
 * Replaces the activity name of each stay whose newest activity is the given experience. The activity must
 * have begun at or after `since`.
 */
export const nameActivity = setIn(
	stays,
	["activityName"],
	inArray(
		stays.seq,
		lastBusyWith(and(eq(activityLog.experienceId, id), gte(activityLog.startedAt, sql.placeholder("since")))),
	),
);

/** Inserts an action of the operator into the history. */
export const insertAction = insertInto(adminActions);

/** Creates the list of the actions that match `where`, newest first, with the current names of the agents. */
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
			joins: [{ table: agents, on: eq(agents.id, adminActions.agentId), isLeft: true }],
		},
	);

/** The list of all actions of the operator, newest first. */
export const allActions = actionsWhere();

/** The list of the operator's actions on one agent, newest first. */
export const actionsOnAgent = actionsWhere(eq(adminActions.agentId, agentId));

const now = sql.placeholder("now");
const isValidToken = and(eq(adminTokens.hash, sql.placeholder("hash")), gt(adminTokens.expiresAt, now));

/** The queries for the codes, sessions and confirmations of the host's page. */
export const tokens = {
	insert: insertInto(adminTokens),
	valid: selectFrom(adminTokens, { expiresAt: adminTokens.expiresAt }, isValidToken),
	take: deleteFrom(adminTokens, isValidToken, { expiresAt: adminTokens.expiresAt }),
	deleteExpired: deleteFrom(adminTokens, lte(adminTokens.expiresAt, now)),
	deleteAll: deleteFrom(adminTokens, undefined),
};

/** The queries that count the rows of each kind. */
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
