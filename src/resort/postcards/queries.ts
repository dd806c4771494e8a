import {
	desc,
	eq,
	getTableColumns,
	inArray,
	isNull,
	type SQL,
	sql,
} from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { pageOf } from "../../store/page.ts";
import { type Builder, placeholders, question } from "../../store/question.ts";
import { agents, postcards } from "../../store/tables.ts";

const newest = [desc(postcards.createdAt), desc(postcards.seq)];
const agentId = sql.placeholder("agentId");

const recipients = alias(agents, "recipients");

const shown = { ...getTableColumns(postcards), senderName: agents.name };

const inPage = (builder: Builder, condition: SQL) =>
	inArray(postcards.seq, pageOf(builder, postcards, condition, newest));

/** The public board, newest first. */
export const publicOnes = question(shown, (builder, fields) =>
	builder
		.select(fields)
		.from(postcards)
		.innerJoin(agents, eq(agents.id, postcards.senderId))
		.where(inPage(builder, isNull(postcards.recipientId)))
		.orderBy(...newest),
);

const own = (condition: SQL) =>
	question(
		{ ...shown, recipientName: sql<string | null>`${recipients.name}` },
		(builder, fields) =>
			builder
				.select(fields)
				.from(postcards)
				.innerJoin(agents, eq(agents.id, postcards.senderId))
				.leftJoin(recipients, eq(recipients.id, postcards.recipientId))
				.where(inPage(builder, condition))
				.orderBy(...newest),
	);

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
