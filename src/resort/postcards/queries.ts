import {
	and,
	eq,
	getTableColumns,
	gt,
	gte,
	isNull,
	min,
	type SQL,
	sql,
} from "drizzle-orm";
import { listQueries } from "../../store/list-query.ts";
import { alias, builder, type Fields, type Row } from "../../store/query.ts";
import { insertReturning } from "../../store/table-queries.ts";
import { agents, postcards } from "../../store/tables.ts";
import { isNotBlocked } from "../blocks/queries.ts";

const agentId = sql.placeholder("agentId");

/** A literal: a partial index is used only by a query with the same condition. */
export const isPublic = sql`${postcards.recipientId} is null and ${postcards.hiddenAt} is null`;

const recipients = alias(agents, "recipients");

const columns = {
	...getTableColumns(postcards),
	senderName: agents.name,
	senderGoneAt: agents.deactivatedAt,
};

/** A postcard and its sender. */
export type PostcardRow = Row<typeof columns>;

const sender = { table: agents, on: eq(agents.id, postcards.senderId) };

const list = (where: SQL | undefined) =>
	listQueries(columns, {
		table: postcards,
		where,
		order: [postcards.createdAt],
		joins: [sender],
	});

/** The public board, newest first. */
export const publicPostcards = list(isPublic);

/** The public postcards of an agent, newest first. */
export const publicPostcardsBy = list(
	and(eq(postcards.senderId, agentId), isPublic),
);

const answers = alias(postcards, "answers");

/**
 * When the agent with the placeholder `agentId` first wrote to the sender of a postcard after it; null if it has not.
 * `seq` orders postcards of the same millisecond.
 */
export const answeredAt = sql<number | null>`(${builder
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

const ownList = <F extends Fields>(where: SQL | undefined, more: F) =>
	listQueries(
		{
			...columns,
			recipientName: sql<string | null>`${recipients.name}`,
			...more,
		},
		{
			table: postcards,
			where,
			order: [postcards.createdAt],
			joins: [
				sender,
				{
					table: recipients,
					on: eq(recipients.id, postcards.recipientId),
					isLeft: true,
				},
			],
		},
	);

/** The postcards that an agent has sent, newest first. */
export const sentBy = ownList(eq(postcards.senderId, agentId), {});

/** The private postcards to an agent that are neither hidden nor from an agent that it has blocked, newest first. */
export const sentTo = ownList(
	and(
		eq(postcards.recipientId, agentId),
		isNull(postcards.hiddenAt),
		isNotBlocked(postcards.senderId),
	),
	{ answeredAt },
);

/** Stores a postcard. */
export const insertPostcard = insertReturning(postcards, "hiddenAt");
