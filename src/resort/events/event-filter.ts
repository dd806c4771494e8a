import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";
import type { EventIndex } from "./queries.ts";

/** Of more agents, such as those of a webhook, searching each takes longer than examining the events of others. */
const MAX_SOURCES = 100;

/** The fields of an event that decide who may read it. */
export type FilteredEvent = Readonly<
	Record<"type" | "agentId", string> &
		Record<"recipientId" | "creatorId", string | null>
>;

/** An index, and the value by which it is searched. */
export interface EventSource {
	readonly index: EventIndex;
	/** Null for the primary key; at another index nothing has it. */
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

/** A statement is prepared for each number of sources, so that of agents is rounded up. */
function paddedSize(size: number): number {
	return [0, 1, 10].find((step) => size <= step) ?? MAX_SOURCES;
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
