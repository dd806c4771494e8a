import {
	and,
	desc,
	eq,
	getTableColumns,
	isNull,
	type SQL,
	sql,
} from "drizzle-orm";
import { inSlice, pageOf } from "../../store/page.ts";
import {
	alias,
	placeholders,
	question,
	type Row,
} from "../../store/question.ts";
import { agents, postcards } from "../../store/tables.ts";

const newest = [desc(postcards.createdAt), desc(postcards.seq)];
const agentId = sql.placeholder("agentId");

const recipients = alias(agents, "recipients");

const shown = {
	...getTableColumns(postcards),
	senderName: agents.name,
	senderGoneAt: agents.deactivatedAt,
};

/** A postcard, and who sent it. */
export type PostcardRow = Row<typeof shown>;

const keysOf = (condition: SQL | undefined) =>
	question({ seq: postcards.seq }, (builder) =>
		pageOf(builder, postcards, condition, newest),
	);

/** The public board, newest first. */
export const publicOnes = {
	keys: keysOf(isNull(postcards.recipientId)),
	rows: question(shown, (builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.where(inSlice(postcards.seq)),
	),
};

/** Those of the public board that an agent has sent, newest first. */
export const publicOnesBy = {
	// Written so that the index of the whole board does not serve it.
	keys: keysOf(
		and(
			eq(postcards.senderId, agentId),
			sql`${postcards.recipientId} || '' is null`,
		),
	),
	rows: publicOnes.rows,
};

const ownRows = question(
	{ ...shown, recipientName: sql<string | null>`${recipients.name}` },
	(builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.leftJoin(recipients, eq(recipients.id, postcards.recipientId))
			.where(inSlice(postcards.seq)),
);

const own = (condition: SQL) => ({ keys: keysOf(condition), rows: ownRows });

/** What an agent has sent, newest first. */
export const sentBy = own(eq(postcards.senderId, agentId));

/** What was sent to an agent alone, newest first. */
export const sentTo = own(eq(postcards.recipientId, agentId));

/** Stores a postcard. */
export const insertPostcard = question(
	getTableColumns(postcards),
	(builder, fields) =>
		builder
			.insert(postcards)
			.values(
				placeholders(
					"id",
					"stayId",
					"senderId",
					"recipientId",
					"message",
					"mood",
					"location",
					"createdAt",
				),
			)
			.returning(fields),
);
