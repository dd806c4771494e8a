import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";

/** What of an event decides who hears of it. */
export type Judged = Readonly<
	Record<"type" | "agentId", string> &
		Record<"recipientId" | "creatorId", string | null>
>;

/** Which events somebody hears of. */
export interface Filter {
	/** The only types that may fit; null for any. */
	readonly types: ReadonlySet<string> | null;
	/** Whether an event of one of the types fits. */
	fits(event: Judged): boolean;
}

/**
 * The events that a query asks for.
 * @param reader who asks for what concerns it alone; null for what everybody hears of
 */
export function filterOf(
	{ types, ids }: Pick<EventsQuery, "types" | "ids">,
	reader: string | null,
): Filter {
	const agents =
		ids === undefined
			? null
			: new Set(idsOf(ids).map((id) => id.toLowerCase()));
	return {
		types: types === undefined ? null : new Set(idsOf(types)),
		fits: (event) =>
			(agents?.has(event.agentId) ?? true) &&
			(reader === null ? isPublic(event) : concerns(event, reader)),
	};
}

/** Whether somebody hears of an event. */
export function isFor({ types, fits }: Filter, event: Judged): boolean {
	return (types === null || types.has(event.type)) && fits(event);
}

/** Whether everybody hears of an event. */
export function isPublic({ recipientId }: Judged): boolean {
	return recipientId === null;
}

/** Its own events, what was sent to it alone, and what others did with its experiences. */
function concerns(
	{ type, agentId, recipientId, creatorId }: Judged,
	reader: string,
): boolean {
	if (recipientId !== null) return recipientId === reader;
	if (agentId === reader) return true;
	return (
		creatorId === reader &&
		(type === "experience.rated" || type === "agent.did")
	);
}
