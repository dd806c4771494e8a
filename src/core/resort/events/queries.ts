import { and, asc, desc, eq, gt, lte, sql } from "drizzle-orm";
import { query, type Row } from "../../store/query.ts";
import { deleteFrom, inKeys, selectFrom } from "../../store/table-queries.ts";
import { agents, blocks, events, experiences, postcards } from "../../store/tables.ts";

/** Returns the oldest stored events, oldest first. */
export const oldestEvents = selectFrom(events, { id: events.id, at: events.at }, undefined, {
	orderBy: [asc(events.id)],
	limit: sql.placeholder("limit"),
});

/** Deletes the events up to an id. */
export const deleteEvents = deleteFrom(events, lte(events.id, sql.placeholder("upTo")));

/** Returns the newest ten events, newest first. */
export const newestEvents = selectFrom(
	events,
	{ id: events.id, recipientId: events.recipientId },
	undefined,
	{ orderBy: [desc(events.id)], limit: 10 },
);

/** Returns the events after one id and up to another, with the fields that filters examine. */
export const eventsAfter = selectFrom(
	events,
	{
		id: events.id,
		type: events.type,
		agentId: events.agentId,
		recipientId: events.recipientId,
		creatorId: events.creatorId,
	},
	and(gt(events.id, sql.placeholder("since")), lte(events.id, sql.placeholder("upTo"))),
	{ orderBy: [asc(events.id)], limit: sql.placeholder("limit") },
);

const columns = {
	id: events.id,
	type: events.type,
	at: events.at,
	agentId: events.agentId,
	agentName: sql<string>`${agents.name}`,
	goneAt: agents.deactivatedAt,
	recipientId: events.recipientId,
	subjectId: events.subjectId,
	creatorId: events.creatorId,
	details: events.details,
	experienceName: sql<string | null>`${experiences.name}`,
	experienceCategory: sql<string | null>`${experiences.category}`,
	experienceHiddenAt: experiences.hiddenAt,
	postcardHiddenAt: postcards.hiddenAt,
	/** The time at which the recipient blocked the event's agent; null if the agent is not blocked. */
	blockedAt: sql<number | null>`${blocks.createdAt}`,
	message: sql<string | null>`${postcards.message}`,
	mood: postcards.mood,
	location: postcards.location,
	createdAt: sql<number | null>`${postcards.createdAt}`,
};

/** A stored event, with columns of the rows that it refers to. */
export type EventRow = Row<typeof columns>;

/** Returns events by id, in any order. */
export const eventsById = query(columns, (builder, fields) =>
	builder
		.select(fields)
		.from(events)
		.innerJoin(agents, eq(agents.id, events.agentId))
		.leftJoin(experiences, eq(experiences.id, events.subjectId))
		.leftJoin(postcards, eq(postcards.id, events.subjectId))
		.leftJoin(blocks, and(eq(blocks.agentId, events.recipientId), eq(blocks.blockedId, events.agentId)))
		.where(inKeys(events.id)),
);
