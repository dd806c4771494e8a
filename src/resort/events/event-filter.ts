import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";
import type { EventIndex } from "./queries.ts";

/**
 * The maximum number of agents in a filter for which the events of each agent are looked up in an index. For
 * more agents, such as in the filter of a webhook, it is faster to examine all events.
 */
const MAX_SOURCES = 100;

/** The fields of an event that filters examine. */
export type FilteredEvent = Readonly<
	Record<"type" | "agentId", string> & Record<"recipientId" | "creatorId", string | null>
>;

/** An index of events, and the key to search it with. */
export interface EventSource {
	readonly index: EventIndex;
	/**
	 * The key to search for. With the index `all`, it is null and means all events. With any other index, null
	 * matches no event.
	 */
	readonly key: string | null;
}

/** Selects events. */
export interface Filter {
	/** The types of events that can match; null for all types. */
	readonly types: ReadonlySet<string> | null;
	/** The indexes and keys that together contain all matching events. */
	readonly sources: readonly EventSource[];
	/** Whether an event matches. It is called only for events whose type is one of `types`. */
	fits(event: FilteredEvent): boolean;
}

/**
 * Returns the filter for a query.
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
		fits: (event) => (agentIds?.has(event.agentId) ?? true) && concerns(event, readerId),
	};
}

/** Selects public events of the given types and agents. Null means all types or all agents. */
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

/** Selects all public events, and the private events for one recipient. */
export function filterOfRecipient(types: ReadonlySet<string> | null, recipientId: string): Filter {
	const sources = publicSources(types, null);
	return {
		types,
		// If all types are requested, `sources` is the index `all`, which also contains private events.
		sources: types === null ? sources : [...sources, { index: "ofRecipient", key: recipientId }],
		fits: (event) => isPublic(event) || event.recipientId === recipientId,
	};
}

/** Whether an event matches a filter. */
export function matches({ types, fits }: Filter, event: FilteredEvent): boolean {
	return (types === null || types.has(event.type)) && fits(event);
}

function publicSources(
	types: ReadonlySet<string> | null,
	agentIds: ReadonlySet<string> | null,
): EventSource[] {
	const isByAgent = agentIds !== null && agentIds.size <= MAX_SOURCES;
	const keys = isByAgent ? agentIds : types;
	if (keys === null) return [{ index: "all", key: null }];
	const index = isByAgent ? "publicOfAgent" : "publicOfType";
	const padding = isByAgent ? paddedSize(keys.size) - keys.size : 0;
	return [...keys, ...Array<null>(padding).fill(null)].map((key) => ({
		index,
		key,
	}));
}

/**
 * Rounds up the number of agents in a filter to 1, 10 or 100. Without rounding, each number of agents would
 * need its own prepared statement.
 */
function paddedSize(size: number): number {
	return [0, 1, 10].find((step) => size <= step) ?? MAX_SOURCES;
}

/** Whether everybody may read an event. */
function isPublic({ recipientId }: FilteredEvent): boolean {
	return recipientId === null;
}

/**
 * Whether an event concerns the reader. A private event concerns only its recipient. A public event concerns
 * its agent, and the creator of the experience that the event is about.
 */
function concerns({ agentId, recipientId, creatorId }: FilteredEvent, readerId: string): boolean {
	if (recipientId !== null) return recipientId === readerId;
	return agentId === readerId || creatorId === readerId;
}
