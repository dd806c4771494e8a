import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";

/** The fields of an event that decide who may read it. */
export type FilteredEvent = Readonly<
	Record<"type" | "agentId", string> &
		Record<"recipientId" | "creatorId", string | null>
>;

/** Selects events. */
export interface Filter {
	/** The only types that may match; null for all types. */
	readonly types: ReadonlySet<string> | null;
	/** Whether an event of one of the types matches. */
	fits(event: FilteredEvent): boolean;
}

/**
 * Returns the filter of a query.
 * @param readerId the agent whose own events are requested; null for public events
 */
export function filterOf(
	{ types, ids }: Pick<EventsQuery, "types" | "ids">,
	readerId: string | null,
): Filter {
	const agentIds = ids === undefined ? null : new Set(idsOf(ids.toLowerCase()));
	return {
		types: types === undefined ? null : new Set(idsOf(types)),
		fits: (event) =>
			(agentIds?.has(event.agentId) ?? true) &&
			(readerId === null ? isPublic(event) : concerns(event, readerId)),
	};
}

/** Whether an event matches a filter. */
export function matches(
	{ types, fits }: Filter,
	event: FilteredEvent,
): boolean {
	return (types === null || types.has(event.type)) && fits(event);
}

/** Whether everybody may read an event. */
export function isPublic({ recipientId }: FilteredEvent): boolean {
	return recipientId === null;
}

/** Matches the agent's own events, those for it alone, and what others did with its experiences. */
function concerns(
	{ type, agentId, recipientId, creatorId }: FilteredEvent,
	readerId: string,
): boolean {
	if (recipientId !== null) return recipientId === readerId;
	if (agentId === readerId) return true;
	return (
		creatorId === readerId &&
		(type === "experience.rated" || type === "agent.did")
	);
}
