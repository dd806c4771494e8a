import { and, asc, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm";
import { query, type Row } from "../../store/query.ts";
import { inKeys, selectFrom } from "../../store/table-queries.ts";
import {
	agents,
	blocks,
	events,
	experiences,
	postcards,
} from "../../store/tables.ts";

/** The oldest stored event. */
export const firstEvent = selectFrom(
	events,
	{ id: events.id, at: events.at },
	undefined,
	{ orderBy: [asc(events.id)], limit: 1 },
);

const { id, type, agentId, recipientId, creatorId } = events;
const key = sql.placeholder("key");

/**
 * Selects the fields of events that filters need, in the order of the ids.
 * @param order the id as the index of the source has it
 */
function nextOf(source?: SQL, order: SQL = sql`${id} + 0`) {
	const since = gt(order, sql.placeholder("since"));
	const upTo = lte(order, sql.placeholder("upTo"));
	return selectFrom(
		events,
		{ id, type, agentId, recipientId, creatorId },
		and(source, since, upTo),
		{ orderBy: [asc(order)], limit: sql.placeholder("limit") },
	);
}

/** The next events by the index that is searched for `key`; `all` is the primary key. */
export const nextEvents = {
	all: nextOf(undefined, sql`${id}`),
	publicOfAgent: nextOf(and(eq(agentId, key), isNull(recipientId))),
	publicOfType: nextOf(and(eq(type, key), isNull(recipientId))),
	ofRecipient: nextOf(eq(recipientId, key)),
	ofCreator: nextOf(eq(creatorId, key)),
};

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
	/** When its recipient blocked its agent. */
	blockedAt: sql<number | null>`${blocks.createdAt}`,
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
		.leftJoin(
			blocks,
			and(
				eq(blocks.agentId, events.recipientId),
				eq(blocks.blockedId, events.agentId),
			),
		)
		.where(inKeys(events.id)),
);
