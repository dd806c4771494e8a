import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";
import type { nextEvents } from "./queries.ts";

/** The fields of an event that decide who may read it. */
export type FilteredEvent = Readonly<
	Record<"type" | "agentId", string> &
		Record<"recipientId" | "creatorId", string | null>
>;

/** An index, and the value by which it is searched. */
export interface EventSource {
	readonly index: keyof typeof nextEvents;
	/** Null for the primary key. */
	readonly key: string | null;
}

/** Selects events. */
export interface Filter {
	/** The only types that may match; null for all types. */
	readonly types: ReadonlySet<string> | null;
	/** Contain all events that match. */
	readonly sources: readonly EventSource[];
	/** Whether an event of one of the types matches. */
	fits(event: FilteredEvent): boolean;
}

/**
 * Returns the filter of a query.
 * @param readerId the agent whose own events are requested; null for public events
 */
export function filterOf(
	{ types: typeList, ids }: Pick<EventsQuery, "types" | "ids">,
	readerId: string | null,
): Filter {
	const types = typeList === undefined ? null : new Set(idsOf(typeList));
	const agentIds = ids === undefined ? null : new Set(idsOf(ids.toLowerCase()));
	if (readerId === null) return publicFilter(types, agentIds);
	return {
		types,
		sources: [
			{ index: "publicOfAgent", key: readerId },
			{ index: "ofRecipient", key: readerId },
			{ index: "ofCreator", key: readerId },
		],
		fits: (event) =>
			(agentIds?.has(event.agentId) ?? true) && concerns(event, readerId),
	};
}

/** Selects public events; null stands for all types or agents. */
export function publicFilter(
	types: ReadonlySet<string> | null,
	agentIds: ReadonlySet<string> | null,
): Filter {
	return {
		types,
		sources: publicSources(types, agentIds),
		fits: (event) => isPublic(event) && (agentIds?.has(event.agentId) ?? true),
	};
}

/** Selects all public events, and the private ones of a recipient. */
export function filterOfRecipient(
	types: ReadonlySet<string> | null,
	recipientId: string,
): Filter {
	const sources = publicSources(types, null);
	return {
		types,
		// The primary key contains private events, too.
		sources:
			types === null
				? sources
				: [...sources, { index: "ofRecipient", key: recipientId }],
		fits: (event) => isPublic(event) || event.recipientId === recipientId,
	};
}

/** Whether an event matches a filter. */
export function matches(
	{ types, fits }: Filter,
	event: FilteredEvent,
): boolean {
	return (types === null || types.has(event.type)) && fits(event);
}

/** Agents have fewer events than types. */
function publicSources(
	types: ReadonlySet<string> | null,
	agentIds: ReadonlySet<string> | null,
): EventSource[] {
	const index = agentIds === null ? "publicOfType" : "publicOfAgent";
	const keys = agentIds ?? types;
	if (keys === null) return [{ index: "all", key: null }];
	return [...keys].map((key) => ({ index, key }));
}

/** Whether everybody may read an event. */
function isPublic({ recipientId }: FilteredEvent): boolean {
	return recipientId === null;
}

/** Matches the agent's own events, those for it alone, and what others did with its experiences. */
function concerns(
	{ agentId, recipientId, creatorId }: FilteredEvent,
	readerId: string,
): boolean {
	if (recipientId !== null) return recipientId === readerId;
	return agentId === readerId || creatorId === readerId;
}
