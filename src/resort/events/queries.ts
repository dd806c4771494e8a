import { and, asc, desc, eq, gt, isNull, lte, type Placeholder, sql } from "drizzle-orm";
import { query, type Row } from "../../store/query.ts";
import { inKeys, selectFrom } from "../../store/table-queries.ts";
import { agents, blocks, events, experiences, postcards } from "../../store/tables.ts";

/**
 * The number of newest events that are searched for public events. Without this bound, the search might have
 * to skip any number of private events.
 */
const NEWEST = 10;

/** Returns the oldest stored event. */
export const firstEvent = selectFrom(events, { id: events.id, at: events.at }, undefined, {
	orderBy: [asc(events.id)],
	limit: 1,
});

/** Returns the ids of the public events among the newest {@link NEWEST} events, newest first. */
export const newestPublicEvents = query({ id: sql<number>`id` }, (builder, fields) => {
	const newest = builder
		.select({ id: events.id, recipientId: events.recipientId })
		.from(events)
		.orderBy(desc(events.id))
		.limit(NEWEST)
		.as("newest");
	return builder.select(fields).from(newest).where(isNull(newest.recipientId)).orderBy(desc(sql`id`));
});

const { id, type, agentId, recipientId, creatorId } = events;

/** For each index, the condition that selects the events with a given key. */
const conditions = {
	/** The index of all event ids. It is searched without a key. */
	all: () => undefined,
	publicOfAgent: (key: Placeholder) => and(eq(agentId, key), isNull(recipientId)),
	publicOfType: (key: Placeholder) => and(eq(type, key), isNull(recipientId)),
	ofRecipient: (key: Placeholder) => eq(recipientId, key),
	ofCreator: (key: Placeholder) => eq(creatorId, key),
};

/** An index of events. */
export type EventIndex = keyof typeof conditions;

const nextFields = {
	place: sql<number>`place`,
	id: sql<number>`id`,
	type: sql<string>`type`,
	agentId: sql<string>`agent_id`,
	recipientId: sql<string | null>`recipient_id`,
	creatorId: sql<string | null>`creator_id`,
};

/**
 * Selects the fields that filters need, from several indexes in one statement. The column `place` is the
 * position of the index in `indexes`. Each index has its own parameters for the key and the start: `key0` and
 * `since0` for the first index, and so on. The events of an index are in the order of their ids.
 */
function nextOf(indexes: readonly EventIndex[]) {
	return query(nextFields, (builder, fields) => {
		const [first, ...others] = indexes.map((index, place) => {
			const order = index === "all" ? sql`${id}` : sql`${id} + 0`;
			const next = builder
				.select({
					place: sql.raw(String(place)).as("place"),
					id,
					type,
					agentId,
					recipientId,
					creatorId,
				})
				.from(events)
				.where(
					and(
						conditions[index](sql.placeholder(`key${place}`)),
						gt(order, sql.placeholder(`since${place}`)),
						lte(order, sql.placeholder("upTo")),
					),
				)
				.orderBy(asc(order))
				.limit(sql.placeholder("limit"))
				.as(`next${place}`);
			return builder.select(fields).from(next).$dynamic();
		});
		if (first === undefined) throw new TypeError("there is no index");
		return others.reduce((all, other) => all.unionAll(other), first);
	});
}

const prepared = new Map<string, ReturnType<typeof nextOf>>();

/**
 * Returns the query for the next events of several indexes. Each combination of indexes is prepared only
 * once.
 */
export function nextEvents(indexes: readonly EventIndex[]) {
	const shape = indexes.join();
	const known = prepared.get(shape) ?? nextOf(indexes);
	prepared.set(shape, known);
	return known;
}

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
	/** When the recipient blocked the event's agent. */
	blockedAt: sql<number | null>`${blocks.createdAt}`,
	message: sql<string | null>`${postcards.message}`,
	mood: postcards.mood,
	location: postcards.location,
	recipientId: postcards.recipientId,
	createdAt: sql<number | null>`${postcards.createdAt}`,
};

/** An event with columns of the rows that it refers to. */
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
