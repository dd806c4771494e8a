/** Queries for fixtures and resets. */
import { type SQL, sql } from "drizzle-orm";
import { publish } from "../../core/resort/events/publish.ts";
import type { Store } from "../../core/store/store.ts";
import { deleteFrom, updateIn } from "../../core/store/table-queries.ts";
import { agents, events, stays } from "../../core/store/tables.ts";
import type { Task } from "../../core/store/task.ts";

const ofClosedStays = (value: SQL) =>
	sql`coalesce((select ${value} from ${stays} where ${stays.agentId} = ${agents.id} and ${stays.checkedOutAt} is not null), 0)`;

/** Selects an agent's open stay, or the stay that began last if none is open. */
const newest = sql`select ${stays.seq} from ${stays} where ${stays.agentId} = ${agents.id} order by ${stays.checkedOutAt} is not null, ${stays.checkedInAt} desc, ${stays.seq} desc limit 1`;

/** Recomputes the newest stays of all agents, and the totals of their closed stays. */
export const recountStays = updateIn(
	agents,
	{
		newestStay: sql`coalesce((${newest}), 0)`,
		restPoints: ofClosedStays(sql`sum(${stays.relaxationPoints})`),
		longestStayMs: ofClosedStays(sql`max(${stays.checkedOutAt} - ${stays.checkedInAt})`),
	},
	undefined,
);

const deleteAllEvents = deleteFrom(events, undefined);

/** Deletes all events, and restarts event ids at 1. Call it inside a transaction. */
export function* restartEvents(store: Store): Task<void> {
	yield* deleteAllEvents(store).run({});
	yield* store.restartEventIds();
}

/**
 * Deletes all events, so that every reader must request a snapshot, whatever its cursor is. Call it inside a
 * transaction.
 */
export function* forgetAllEvents(store: Store): Task<void> {
	// Publishes an event that is deleted again below, so that the newest id is one that no reader has seen.
	// Otherwise, a reader whose cursor is the newest id would not notice that events were deleted.
	yield* publish(store, { type: "agent.gone", at: 0, agentId: "" });
	yield* deleteAllEvents(store).run({});
}
