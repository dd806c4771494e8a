import { setImmediate } from "node:timers/promises";
import type { EventWatermarks, Store } from "../../store/store.ts";
import { type Filter, matches } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import type { EventInfo } from "./model.ts";
import { firstEvent, nextEvents } from "./queries.ts";

/** How many events are checked without a pause, and for one answer. */
const MAX_ROWS_AT_ONCE = 1_000;
const MAX_ROWS = 5_000;

/** Some events, oldest first. */
export interface EventPage {
	readonly events: readonly EventInfo[];
	/** The id up to which all events have been checked. */
	readonly cursor: number;
	/**
	 * Whether events after the requested id were deleted, or the id is beyond the newest. Then `events` is empty, and
	 * `cursor` is the newest final id.
	 */
	readonly isForgotten: boolean;
}

/**
 * Reads the first final events after an id that match a filter.
 * @param limit at most 100
 * @throws ResortError `unavailable`
 */
export async function searchEvents(
	store: Store,
	since: number,
	{ final, newest }: EventWatermarks,
	filter: Filter,
	limit: number,
): Promise<EventPage> {
	// The id was final when the reader got it, and is again once the events before it are written.
	if (since > final && since <= newest) {
		return { events: [], cursor: since, isForgotten: false };
	}
	const first = await store.read(() => firstEvent(store).get({}));
	const isDeleted =
		since < final && (first === undefined || first.id > since + 1);
	if (isDeleted || since > newest) {
		return { events: [], cursor: final, isForgotten: true };
	}
	const { ids, cursor } = await search(store, since, final, filter, limit);
	const events =
		ids.length === 0 ? [] : await store.read(() => readEvents(store, ids));
	return { events, cursor, isForgotten: false };
}

async function search(
	store: Store,
	since: number,
	upTo: number,
	filter: Filter,
	limit: number,
): Promise<{ ids: number[]; cursor: number }> {
	const ids: number[] = [];
	let cursor = since;
	for (let checked = 0; checked < MAX_ROWS; checked += MAX_ROWS_AT_ONCE) {
		if (checked > 0) await setImmediate();
		const range = { since: cursor, upTo, limit: MAX_ROWS_AT_ONCE };
		const rows = await store.read(() => nextEvents(store).all(range));
		for (const row of rows) {
			cursor = row.id;
			if (matches(filter, row) && ids.push(row.id) === limit) {
				return { ids, cursor };
			}
		}
		if (rows.length < MAX_ROWS_AT_ONCE) return { ids, cursor: upTo };
	}
	return { ids, cursor };
}
