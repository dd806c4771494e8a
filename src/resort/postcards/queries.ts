import { desc, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import { inSlice, pageOf } from "../../store/page.ts";
import { placeholders, question } from "../../store/question.ts";
import { agents, postcards } from "../../store/tables.ts";

const newest = [desc(postcards.createdAt), desc(postcards.seq)];
const agentId = sql.placeholder("agentId");

const postcardsByKey = question(
	{ ...getTableColumns(postcards), senderName: agents.name },
	(builder, fields) =>
		builder
			.select(fields)
			.from(postcards)
			.innerJoin(agents, eq(agents.id, postcards.senderId))
			.where(inSlice(postcards.seq)),
);

const list = (condition: SQL) => ({
	keys: question({ seq: postcards.seq }, (builder) =>
		pageOf(builder, postcards, condition, newest),
	),
	rows: postcardsByKey,
});

/** The public board, newest first. */
export const publicOnes = list(isNull(postcards.recipientId));

/** What an agent has sent, newest first. */
export const sentBy = list(eq(postcards.senderId, agentId));

/** What was sent to an agent alone, newest first. */
export const sentTo = list(eq(postcards.recipientId, agentId));

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
