import { setImmediate } from "node:timers/promises";
import type { Store } from "../../store/store.ts";
import type { Filter } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import { type EventRow, eventsAfter, firstEvent } from "./queries.ts";

/** The maximum numbers of events that a search examines, and that it examines without a pause. */
const MAX_EXAMINED = 5_000;
const MAX_READ = 1_000;

/** The factor by which each read is larger than the one before. The first is small, as often enough match. */
const GROWTH = 4;

/** Some events, oldest first. */
export interface EventPage {
	readonly events: readonly EventRow[];
	/** The id up to which all events have been examined. */
	readonly cursor: number;
	/**
	 * Whether events after the requested id have been deleted, or it is higher than that of the newest event.
	 * Then `events` is empty, and `cursor` is the newest final id.
	 */
	readonly isForgotten: boolean;
	/** Whether the search has examined the maximum number of events. Later events may match. */
	readonly isCut: boolean;
}

/** Returns an empty page. */
export function emptyPage(cursor: number, isForgotten = false): EventPage {
	return { events: [], cursor, isForgotten, isCut: false };
}

/** Whether a waiting call must return this page now: it has events, or events were deleted, or it is cut. */
export function isResult({ events, isForgotten, isCut }: EventPage): boolean {
	return events.length > 0 || isForgotten || isCut;
}

/** The events to search. */
export interface Search {
	/** The id after which the search begins. */
	readonly since: number;
	readonly filter: Filter;
	/** The maximum number of events in the page, 1 to 100. */
	readonly limit: number;
}

/**
 * Examines events forward from an id. Returns the first ones that match the filter.
 * @param final the newest final id, higher than `since`
 * @throws ResortError `unavailable`
 */
export async function searchEvents(
	store: Store,
	{ since, filter, limit }: Search,
	final: number,
): Promise<EventPage> {
	const found: number[] = [];
	let cursor = since;
	let rest = MAX_EXAMINED;
	for (let size = limit; found.length < limit && cursor < final && rest > 0; size *= GROWTH) {
		// Pauses before every read, so that a queue of short searches does not block other requests.
		await setImmediate();
		const range = { since: cursor, upTo: final, limit: Math.min(size, rest, MAX_READ) };
		const rows = await store.read(() => eventsAfter(store).all(range));
		rest -= rows.length;
		cursor = rows.length < range.limit ? final : (rows.at(-1)?.id ?? final);
		for (const row of rows) if (filter(row)) found.push(row.id);
	}
	const ids = found.slice(0, limit);
	const events = ids.length === 0 ? [] : await store.read(() => readEvents(store, ids));
	// Read last, so that a deletion during the search is noticed.
	const first = await store.read(() => firstEvent(store).get({}));
	if (first === undefined || first.id > since + 1) return emptyPage(final, true);
	const isFull = ids.length === limit;
	if (isFull) cursor = ids.at(-1) ?? cursor;
	return { events, cursor, isForgotten: false, isCut: !isFull && cursor < final };
}
