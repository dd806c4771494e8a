import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { query, type Row } from "../../store/query.ts";
import { inKeys, selectFrom } from "../../store/table-queries.ts";
import { agents, events, experiences, postcards } from "../../store/tables.ts";

/** The oldest stored event. */
export const firstEvent = selectFrom(
	events,
	{ id: events.id, at: events.at },
	undefined,
	{ orderBy: [asc(events.id)], limit: 1 },
);

const isNext = and(
	gt(events.id, sql.placeholder("since")),
	lte(events.id, sql.placeholder("upTo")),
);

/** The fields of events that filters need, in the order of the ids. */
export const nextEvents = query(
	{
		id: events.id,
		type: events.type,
		agentId: events.agentId,
		recipientId: events.recipientId,
		creatorId: events.creatorId,
	},
	(builder, fields) =>
		builder
			.select(fields)
			.from(events)
			.where(isNext)
			.orderBy(asc(events.id))
			.limit(sql.placeholder("limit")),
);

const columns = {
	id: events.id,
	type: events.type,
	at: events.at,
	agentId: events.agentId,
	agentName: sql<string>`${agents.name}`,
	goneAt: agents.deactivatedAt,
	subjectId: events.subjectId,
	details: events.details,
	experienceName: sql<string | null>`${experiences.name}`,
	experienceCategory: sql<string | null>`${experiences.category}`,
	experienceHiddenAt: experiences.hiddenAt,
	postcardHiddenAt: postcards.hiddenAt,
	message: sql<string | null>`${postcards.message}`,
	mood: postcards.mood,
	location: postcards.location,
	recipientId: postcards.recipientId,
	createdAt: sql<number | null>`${postcards.createdAt}`,
};

/** An event with the rows that it refers to. */
export type EventRow = Row<typeof columns>;

/** Events by their ids, in any order. */
export const eventsById = query(columns, (builder, fields) =>
	builder
		.select(fields)
		.from(events)
		.innerJoin(agents, eq(agents.id, events.agentId))
		.leftJoin(experiences, eq(experiences.id, events.subjectId))
		.leftJoin(postcards, eq(postcards.id, events.subjectId))
		.where(inKeys(events.id)),
);
