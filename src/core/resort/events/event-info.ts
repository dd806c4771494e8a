import { toTimestamp } from "../../lib/clock.ts";
import type { Store } from "../../store/store.ts";
import { keyValues } from "../../store/table-queries.ts";
import type { Task } from "../../store/task.ts";
import { toLastStay } from "../presence/agent-status.ts";
import type { EventInfo } from "./model.ts";
import type { PublishedEvent } from "./publish.ts";
import { type EventRow, eventsById } from "./queries.ts";

/** Replaces the name and the category of an experience that the operator has hidden. */
export const HIDDEN = "(hidden)";

/**
 * Reads at most 100 events by id, in order. Omits deleted events, and events about a postcard that the
 * operator has hidden or whose sender is blocked by the recipient.
 */
export function* readEvents(store: Store, ids: readonly number[]): Task<EventRow[]> {
	const rows = yield* eventsById(store).all(keyValues(ids));
	return rows
		.filter((row) => row.postcardHiddenAt === null && row.blockedAt === null)
		.sort((one, other) => one.id - other.id);
}

/** Returns an event as the API and webhooks show it. */
export function showEvent(row: EventRow): EventInfo {
	const details = JSON.parse(row.details ?? "{}");
	const event = { type: row.type, details } as PublishedEvent;
	return {
		id: String(row.id),
		type: event.type,
		at: toTimestamp(row.at),
		agent: { id: row.agentId, name: nameOf(row) },
		...fieldsOf(row, event),
	};
}

/** Returns the name of an event's agent; null if the agent is deactivated. */
function nameOf({ type, agentName, goneAt }: EventRow): string | null {
	// An `agent.gone` event never shows a name, even if the agent has been reactivated since.
	if (type === "agent.gone") return null;
	return goneAt === null ? agentName : null;
}

/** Returns the fields that are specific to the type of the event. */
function fieldsOf(row: EventRow, event: PublishedEvent): Partial<EventInfo> {
	switch (event.type) {
		case "agent.relaxing": {
			const checkedInAt = toTimestamp(event.details.checkedInAt);
			return { stay: { ...event.details, checkedInAt } };
		}
		case "agent.available": {
			const { reason, checkedOutAt, totalRelaxationPoints } = event.details;
			const stay = { relaxationPoints: totalRelaxationPoints };
			return { ...(checkedOutAt !== null && { lastStay: toLastStay(checkedOutAt, stay) }), reason };
		}
		case "agent.gone":
			return {};
		case "agent.did":
			return {
				...event.details,
				...(isHidden(row) && { name: HIDDEN, category: HIDDEN }),
				experienceId: row.subjectId,
			};
		case "experience.created":
		case "experience.archived":
			return {
				experience: {
					...experienceOf(row),
					category: isHidden(row) ? HIDDEN : (row.experienceCategory ?? ""),
				},
			};
		case "experience.rated":
			return { experience: experienceOf(row), ...event.details };
		case "postcard.sent":
		case "postcard.received":
			return { postcard: postcardOf(row) };
	}
}

function experienceOf(row: EventRow) {
	const name = isHidden(row) ? HIDDEN : (row.experienceName ?? "");
	return { id: row.subjectId ?? "", name };
}

function isHidden({ experienceHiddenAt }: EventRow): boolean {
	return experienceHiddenAt !== null;
}

function postcardOf(row: EventRow): NonNullable<EventInfo["postcard"]> {
	return {
		id: row.subjectId ?? "",
		senderName: nameOf(row),
		senderId: row.agentId,
		message: row.message ?? "",
		mood: row.mood,
		location: row.location,
		visibility: row.recipientId === null ? "public" : "private",
		createdAt: toTimestamp(row.createdAt ?? row.at),
	};
}
