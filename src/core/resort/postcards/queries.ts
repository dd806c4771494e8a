import { and, count, eq, getTableColumns, gt, gte, isNull, min, ne, type SQL, sql } from "drizzle-orm";
import { type Join, listQueries } from "../../store/list-query.ts";
import { alias, builder, type Fields, type Row } from "../../store/query.ts";
import { insertReturning, selectFrom } from "../../store/table-queries.ts";
import { agents, postcards } from "../../store/tables.ts";
import { isNotBlocked } from "../blocks/queries.ts";

const agentId = sql.placeholder("agentId");

/**
 * Whether a postcard is on the public board. The condition is literal SQL, because the database uses a
 * partial index only if the query contains exactly the condition of the index.
 */
export const isPublic = sql`${postcards.recipientId} is null and ${postcards.hiddenAt} is null`;

const recipients = alias(agents, "recipients");

const columns = {
	...getTableColumns(postcards),
	senderName: agents.name,
	senderGoneAt: agents.deactivatedAt,
};

/** A postcard with the name of its sender, and the time at which the sender was deactivated. */
export type PostcardRow = Row<typeof columns>;

const sender = { table: agents, on: eq(agents.id, postcards.senderId) };

const list = <F extends Fields>(where: SQL | undefined, more: F, ...joins: readonly Join[]) =>
	listQueries(
		{ ...columns, ...more },
		{ table: postcards, where, order: [postcards.createdAt], joins: [sender, ...joins] },
	);

/** The public board, newest first. */
export const publicPostcards = list(isPublic, {});

/** The public postcards of an agent, newest first. */
export const publicPostcardsBy = list(and(eq(postcards.senderId, agentId), isPublic), {});

/** Returns a public postcard by its id. */
export const publicPostcard = selectFrom(
	postcards,
	columns,
	and(eq(postcards.id, sql.placeholder("id")), isPublic),
	{ joins: [sender] },
);

const answers = alias(postcards, "answers");

/**
 * The time at which the agent `agentId` (a placeholder) first wrote back to the sender of a postcard; null if
 * it has not. The comparison of `seq` orders postcards of the same millisecond.
 */
const answeredAt = sql<number | null>`(${builder
	.select({ at: min(answers.createdAt) })
	.from(answers)
	.where(
		and(
			eq(answers.senderId, agentId),
			eq(answers.recipientId, postcards.senderId),
			gte(answers.createdAt, postcards.createdAt),
			gt(answers.seq, postcards.seq),
		),
	)})`;

const recipientName = sql<string | null>`${recipients.name}`;
const recipient: Join = { table: recipients, on: eq(recipients.id, postcards.recipientId), isLeft: true };

/** The postcards sent by an agent, newest first. */
export const sentBy = list(eq(postcards.senderId, agentId), { recipientName }, recipient);

/** Selects the private postcards in an agent's inbox: those neither hidden nor from a blocked agent. */
const isInInbox = and(
	eq(postcards.recipientId, agentId),
	isNull(postcards.hiddenAt),
	isNotBlocked(postcards.senderId),
);
const isFromOther = ne(postcards.senderId, agentId);

/** The private postcards in an agent's inbox, newest first. */
export const sentTo = list(isInInbox, { recipientName, answeredAt }, recipient);

/**
 * Counts the private postcards from other agents since `since` that an agent has not answered, and those of
 * them whose senders are active.
 */
export const countUnanswered = selectFrom(
	postcards,
	{
		all: sql<number>`${count()}`,
		answerable: sql<number>`count(case when ${agents.deactivatedAt} is null then 1 end)`,
	},
	and(isInInbox, isFromOther, gte(postcards.createdAt, sql.placeholder("since")), isNull(answeredAt)),
	{ joins: [sender] },
);

/** The private postcards that an agent received from other agents after `since`, newest first. */
export const newPostcards = list(
	and(isInInbox, isFromOther, gt(postcards.createdAt, sql.placeholder("since"))),
	{ answeredAt },
);

/** Inserts a postcard. */
export const insertPostcard = insertReturning(postcards, "hiddenAt");
