import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";
import type { EventRow } from "./queries.ts";

/** A function that returns whether an event is selected. */
export type Filter = (event: Pick<EventRow, "type" | "agentId" | "recipientId" | "creatorId">) => boolean;

/** The values of a field that a filter selects; null if it selects all values. */
type Selected = ReadonlySet<string> | null;

/** Returns the filter for a query: of events that concern `readerId`, or of public ones if it is null. */
export function filterOf(query: Pick<EventsQuery, "types" | "ids">, readerId: string | null): Filter {
	const types = query.types === undefined ? null : new Set(idsOf(query.types));
	const agentIds = query.ids === undefined ? null : new Set(idsOf(query.ids.toLowerCase()));
	if (readerId === null) return publicFilter(types, agentIds);
	return (event) => has(types, event.type) && has(agentIds, event.agentId) && concerns(event, readerId);
}

/** Returns the filter that selects public events with the given types and agents. */
export function publicFilter(types: Selected, agentIds: Selected): Filter {
	return ({ type, agentId, recipientId }) =>
		recipientId === null && has(types, type) && has(agentIds, agentId);
}

/** Returns the filter that selects events of the given types: public ones, and private ones for `reader`. */
export function filterOfRecipient(types: Selected, reader: string): Filter {
	return ({ type, recipientId }) => (recipientId === null || recipientId === reader) && has(types, type);
}

function has(selected: Selected, value: string): boolean {
	return selected === null || selected.has(value);
}

/** Whether the reader is the recipient of a private event, or the agent or the creator of a public one. */
function concerns({ agentId, recipientId, creatorId }: Parameters<Filter>[0], readerId: string): boolean {
	if (recipientId !== null) return recipientId === readerId;
	return agentId === readerId || creatorId === readerId;
}
