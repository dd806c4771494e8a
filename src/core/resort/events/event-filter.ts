import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";
import type { EventRow } from "./queries.ts";

/** Whether an event is selected. */
export type Filter = (event: Pick<EventRow, "type" | "agentId" | "recipientId" | "creatorId">) => boolean;

/** Values of a field that are selected; null for all values. */
type Selected = ReadonlySet<string> | null;

/** Returns the filter for a query that selects public events, or the events that concern `readerId`. */
export function filterOf(query: Pick<EventsQuery, "types" | "ids">, readerId: string | null): Filter {
	const types = query.types === undefined ? null : new Set(idsOf(query.types));
	const agentIds = query.ids === undefined ? null : new Set(idsOf(query.ids.toLowerCase()));
	if (readerId === null) return publicFilter(types, agentIds);
	return (event) => has(types, event.type) && has(agentIds, event.agentId) && concerns(event, readerId);
}

/** Selects public events of the given types and agents. */
export function publicFilter(types: Selected, agentIds: Selected): Filter {
	return ({ type, agentId, recipientId }) =>
		recipientId === null && has(types, type) && has(agentIds, agentId);
}

/** Selects public events, and the private events for the recipient `reader`, of the given types. */
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
