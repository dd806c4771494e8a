import { idsOf } from "../presence/model.ts";
import type { EventsQuery } from "./model.ts";

/** What of an event decides who hears of it. */
export type Judged = Readonly<
	Record<"type" | "agentId", string> &
		Record<"recipientId" | "creatorId", string | null>
>;

/** Which events somebody hears of. */
export type Filter = (event: Judged) => boolean;

/**
 * The events that a query asks for.
 * @param reader who asks for what concerns it alone; null for what everybody hears of
 */
export function filterOf(
	{ types, ids }: Pick<EventsQuery, "types" | "ids">,
	reader: string | null,
): Filter {
	const wanted = types === undefined ? null : new Set(idsOf(types));
	const agents =
		ids === undefined
			? null
			: new Set(idsOf(ids).map((id) => id.toLowerCase()));
	return (event) =>
		(wanted?.has(event.type) ?? true) &&
		(agents?.has(event.agentId) ?? true) &&
		(reader === null ? isPublic(event) : concerns(event, reader));
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
