import { desc, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import { inSlice, pageOf } from "../../store/page.ts";
import { alias, placeholders, question } from "../../store/question.ts";
import { agents, postcards } from "../../store/tables.ts";

const newest = [desc(postcards.createdAt), desc(postcards.seq)];
const agentId = sql.placeholder("agentId");

const recipients = alias(agents, "recipients");

const shown = { ...getTableColumns(postcards), senderName: agents.name };

const keysOf = (condition: SQL) =>
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
