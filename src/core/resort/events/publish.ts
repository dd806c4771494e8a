/**
 * The types of events. A change publishes its event in the transaction that makes the change. The types and
 * their recipients are described in docs/decisions.md, "Events".
 */
import type { Store } from "../../store/store.ts";
import { insertInto } from "../../store/table-queries.ts";
import { events, type stays } from "../../store/tables.ts";
import type { Task } from "../../store/task.ts";
import type { ActivityInfo, ActivityLogInfo } from "../activities/model.ts";
import type { ServiceContext } from "../service-context.ts";
import { deleteEvents, newestEvents, oldestEvents } from "./queries.ts";

/** An event as it is published. The name of its agent is not stored, but joined when the event is read. */
export type PublishedEvent = {
	/** In milliseconds since the epoch. */
	readonly at: number;
	readonly agentId: string;
} & (
	| {
			readonly type: "agent.relaxing";
			readonly details: Pick<typeof stays.$inferSelect, "roomType" | "checkedInAt"> & {
				readonly roomName: string;
			};
	  }
	| {
			readonly type: "agent.available";
			readonly details: {
				/** `host` if the operator ended the stay, or reactivated an agent that has no open stay. */
				readonly reason: "checked_out" | "max_stay" | "host";
				/** Null if the agent has never had a stay. */
				readonly checkedOutAt: number | null;
				readonly totalRelaxationPoints: number;
			};
	  }
	| { readonly type: "agent.gone" }
	| {
			readonly type: "agent.did";
			/** The id of the experience; null for an activity of the catalogue. */
			readonly subjectId: string | null;
			readonly creatorId: string | null;
			readonly details: Pick<ActivityInfo, "name" | "category" | "relaxationPoints"> &
				Pick<ActivityLogInfo, "activityId">;
	  }
	| { readonly type: "experience.created" | "experience.archived"; readonly subjectId: string }
	| {
			readonly type: "experience.rated";
			readonly subjectId: string;
			readonly creatorId: string;
			readonly details: { readonly rating: number };
	  }
	| { readonly type: "postcard.sent"; readonly subjectId: string }
	| {
			readonly type: "postcard.received";
			readonly subjectId: string;
			/** The only agent that receives the event. */
			readonly recipientId: string;
	  }
);

/** The types of stored events. */
export const eventTypes = [
	"agent.relaxing",
	"agent.available",
	"agent.gone",
	"agent.did",
	"experience.created",
	"experience.archived",
	"experience.rated",
	"postcard.sent",
	"postcard.received",
] as const satisfies PublishedEvent["type"][];

/** The {@link eventTypes} as a set. */
export const storedTypes: ReadonlySet<string> = new Set(eventTypes);

/** The types of internal events, which are not stored. A feature adds its own by declaration merging. */
export interface InternalEvents {
	/** A profile has been changed. */
	readonly "agent.changed": true;
	/** `lastActive` has been updated. */
	readonly "agent.seen": true;
	/** A key or a session has ended. */
	readonly "credential.ended": true;
	/** An agent has blocked or unblocked another agent. */
	readonly "block.changed": true;
}

/** The type of a stored or internal event. */
export type EventType = PublishedEvent["type"] | keyof InternalEvents;

const insertEvent = insertInto(events);

/** Stores an event. Call it inside the transaction that causes the event. */
export function* publish(store: Store, event: PublishedEvent): Task<void> {
	const details = "details" in event ? JSON.stringify(event.details) : null;
	yield* insertEvent(store).run({ recipientId: null, subjectId: null, creatorId: null, ...event, details });
	yield* store.publish(event);
}

/** The maximum number of stored events. */
const MAX_EVENTS = 1_000_000;

/** The maximum number of events that one transaction deletes, so that transactions stay short. */
const FORGOTTEN_AT_ONCE = 5_000;

/**
 * Deletes up to 5,000 expired events, oldest first. An event expires when it is older than `keptMs`, or when
 * {@link MAX_EVENTS} newer ones follow. Stops at the first event to keep, because readers would not notice a
 * gap in the ids. Call it inside a transaction.
 * @returns whether more events may have expired
 */
export function* deleteOldEvents(
	{ store, clock }: Pick<ServiceContext, "store" | "clock">,
	keptMs: number,
): Task<boolean> {
	const [newest] = yield* newestEvents(store).all({});
	const lastForgotten = (newest?.id ?? 0) - MAX_EVENTS;
	const before = clock() - keptMs;
	const oldest = yield* oldestEvents(store).all({ limit: FORGOTTEN_AT_ONCE });
	const kept = oldest.findIndex(({ id, at }) => at >= before && id > lastForgotten);
	const expired = kept === -1 ? oldest : oldest.slice(0, kept);
	const last = expired.at(-1);
	if (last !== undefined) yield* deleteEvents(store).run({ upTo: last.id });
	return expired.length === FORGOTTEN_AT_ONCE;
}

/** Publishes an internal event. Call it inside the transaction that causes the event. */
export function publishInternal(store: Store, type: keyof InternalEvents, agentId: string): Task<void> {
	return store.publish({ type, agentId });
}
