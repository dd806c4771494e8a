import { setImmediate } from "node:timers/promises";
import type { EventWatermarks, Store } from "../../store/store.ts";
import { type Filter, matches } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import type { EventInfo } from "./model.ts";
import { firstEvent, nextEvents } from "./queries.ts";

/**
 * The maximum number of events that a search examines, and the maximum number that it examines without a
 * pause.
 */
const MAX_EXAMINED = 5_000;
const MAX_READ = 1_000;

/**
 * The factor by which each read of a search is larger than the previous one. The first read is small, because
 * it is sufficient if many events match.
 */
const GROWTH = 4;

/** Some events, oldest first. */
export interface EventPage {
	readonly events: readonly EventInfo[];
	/** The id up to which all events have been checked. */
	readonly cursor: number;
	/**
	 * Whether events after the requested id have been deleted, or the requested id is higher than that of the
	 * newest event. In this case, `events` is empty and `cursor` is the newest final id, before which no
	 * further event can appear.
	 */
	readonly isForgotten: boolean;
	/** Whether the search has examined the maximum number of events. Later events may match. */
	readonly isCut: boolean;
}

/** Returns an empty page. */
export function emptyPage(cursor: number, isForgotten = false): EventPage {
	return { events: [], cursor, isForgotten, isCut: false };
}

/**
 * Whether a waiting call must return this page now: the page contains events, or events were deleted, or the
 * search has examined the maximum number of events.
 */
export function isResult({ events, isForgotten, isCut }: EventPage): boolean {
	return events.length > 0 || isForgotten || isCut;
}

/**
 * Returns the first final events after an id that match a filter.
 * @param since lower than the newest final id
 * @param limit at most 100
 * @throws ResortError `unavailable`
 */
export async function searchEvents(
	store: Store,
	since: number,
	{ final }: EventWatermarks,
	filter: Filter,
	limit: number,
): Promise<EventPage> {
	const first = await store.read(() => firstEvent(store).get({}));
	if (first === undefined || first.id > since + 1) return emptyPage(final, true);
	if (filter.sources.length === 0) return emptyPage(final);
	const { ids, cursor } = await search(store, since, final, filter, limit);
	const events = ids.length === 0 ? [] : await store.read(() => readEvents(store, ids));
	const isCut = ids.length < limit && cursor < final;
	return { events, cursor, isForgotten: false, isCut };
}

/** Merges the sources of a filter. Each source has its own position; the lowest position is the cursor. */
async function search(
	store: Store,
	since: number,
	upTo: number,
	filter: Filter,
	limit: number,
): Promise<{ ids: number[]; cursor: number }> {
	const { sources } = filter;
	const next = nextEvents(sources.map(({ index }) => index))(store);
	// The id up to which each source has been read. An exhausted source gets the position `upTo`.
	const positions = sources.map(() => since);
	// A set, because several sources may contain the same event.
	const found = new Set<number>();
	let ids: number[] = [];
	let cursor = since;
	let remaining = MAX_EXAMINED;
	for (let limitOfRead = limit; ids.length < limit; limitOfRead *= GROWTH) {
		const open = positions.filter((position) => position < upTo).length;
		const rest = Math.min(remaining, MAX_READ);
		const count = Math.min(limitOfRead, Math.floor(rest / open));
		if (open === 0 || count === 0) break;
		// Pauses before every read, so that a queue of short searches does not block other requests.
		await setImmediate();
		const values: Record<string, string | number | null> = {};
		for (const [place, { key }] of sources.entries()) {
			values[`key${place}`] = key;
			values[`since${place}`] = positions[place] ?? upTo;
		}
		const rows = await store.read(() => next.all({ ...values, upTo, limit: count }));
		remaining -= rows.length;
		const chunks = Map.groupBy(rows, ({ place }) => place);
		for (const place of positions.keys()) {
			const chunk = chunks.get(place) ?? [];
			positions[place] = chunk.length < count ? upTo : (chunk.at(-1)?.id ?? upTo);
		}
		for (const row of rows) if (matches(filter, row)) found.add(row.id);
		cursor = Math.min(...positions);
		ids = [...found]
			.filter((id) => id <= cursor)
			.sort((one, other) => one - other)
			.slice(0, limit);
	}
	const isFull = ids.length === limit;
	return { ids, cursor: isFull ? (ids.at(-1) ?? cursor) : cursor };
}
