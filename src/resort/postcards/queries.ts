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
import { alias, placeholders, query, type Row } from "../../store/query.ts";
import { agents, postcards } from "../../store/tables.ts";

const newest = [desc(postcards.createdAt), desc(postcards.seq)];
const agentId = sql.placeholder("agentId");

/** Written out: a partial index is used only by a query that says the same. */
export const isPublic = sql`${postcards.recipientId} is null and ${postcards.hiddenAt} is null`;

const recipients = alias(agents, "recipients");

const shown = {
	...getTableColumns(postcards),
	senderName: agents.name,
	senderGoneAt: agents.deactivatedAt,
};

/** A postcard, and who sent it. */
export type PostcardRow = Row<typeof shown>;

const keysOf = (condition: SQL | undefined) =>
	query({ seq: postcards.seq }, (builder) =>
		pageOf(builder, postcards, condition, newest),
	);

/** The public board, newest first. */
export const publicOnes = {
	keys: keysOf(isPublic),
	rows: query(shown, (builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.where(inSlice(postcards.seq)),
	),
};

/** Those of the public board that an agent has sent, newest first. */
export const publicOnesBy = {
	keys: keysOf(and(eq(postcards.senderId, agentId), isPublic)),
	rows: publicOnes.rows,
};

const ownRows = query(
	{ ...shown, recipientName: sql<string | null>`${recipients.name}` },
	(builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.leftJoin(recipients, eq(recipients.id, postcards.recipientId))
			.where(inSlice(postcards.seq)),
);

const own = (condition: SQL | undefined) => ({
	keys: keysOf(condition),
	rows: ownRows,
});

/** What an agent has sent, newest first. */
export const sentBy = own(eq(postcards.senderId, agentId));

/** What was sent to an agent alone and is not hidden, newest first. */
export const sentTo = own(
	and(eq(postcards.recipientId, agentId), isNull(postcards.hiddenAt)),
);

/** Stores a postcard. */
export const insertPostcard = query(
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
