import { setImmediate } from "node:timers/promises";
import type { EventWatermarks, Store } from "../../store/store.ts";
import { type Filter, matches } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import type { EventInfo } from "./model.ts";
import { firstEvent, nextEvents } from "./queries.ts";

/** The most events that a search examines, and how many of them without a pause. */
const MAX_EXAMINED = 5_000;
const MAX_READ = 1_000;

/** Each read of a search reads this many times as many events as the one before; if many match, the first is enough. */
const GROWTH = 4;

/** Some events, oldest first. */
export interface EventPage {
	readonly events: readonly EventInfo[];
	/** The id up to which all events have been checked. */
	readonly cursor: number;
	/**
	 * Whether events after the requested id were deleted, or the id is beyond the newest. Then `events` is empty, and
	 * `cursor` is the newest final id, up to which no further event can appear.
	 */
	readonly isForgotten: boolean;
	/** Whether the search ended because it examined as many events as it may; later ones may match. */
	readonly isCut: boolean;
}

/** Returns a page without events. */
export function emptyPage(cursor: number, isForgotten = false): EventPage {
	return { events: [], cursor, isForgotten, isCut: false };
}

/** Whether a call that waits for events must return a page: it has events, reports deleted ones, or was cut. */
export function isResult({ events, isForgotten, isCut }: EventPage): boolean {
	return events.length > 0 || isForgotten || isCut;
}

/**
 * Reads the first final events after an id that match a filter.
 * @param since less than the newest final id
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
	if (first === undefined || first.id > since + 1)
		return emptyPage(final, true);
	if (filter.sources.length === 0) return emptyPage(final);
	const { ids, cursor } = await search(store, since, final, filter, limit);
	const events =
		ids.length === 0 ? [] : await store.read(() => readEvents(store, ids));
	const isCut = ids.length < limit && cursor < final;
	return { events, cursor, isForgotten: false, isCut };
}

/** Merges the sources of a filter. Each is read up to its own position, and the smallest position is the cursor. */
async function search(
	store: Store,
	since: number,
	upTo: number,
	filter: Filter,
	limit: number,
): Promise<{ ids: number[]; cursor: number }> {
	const { sources } = filter;
	const next = nextEvents(sources.map(({ index }) => index))(store);
	// A source that has been read to its end is read from `upTo` on, where it has nothing.
	const positions = sources.map(() => since);
	// An event may be in several sources.
	const found = new Set<number>();
	let ids: number[] = [];
	let cursor = since;
	let remaining = MAX_EXAMINED;
	for (let limitOfRead = limit; ids.length < limit; limitOfRead *= GROWTH) {
		const open = positions.filter((position) => position < upTo).length;
		const rest = Math.min(remaining, MAX_READ);
		const count = Math.min(limitOfRead, Math.floor(rest / open));
		if (open === 0 || count === 0) break;
		// Also before the first one: a queue of short searches must not hold up other requests.
		await setImmediate();
		const values: Record<string, string | number | null> = {};
		for (const [place, { key }] of sources.entries()) {
			values[`key${place}`] = key;
			values[`since${place}`] = positions[place] ?? upTo;
		}
		const rows = await store.read(() =>
			next.all({ ...values, upTo, limit: count }),
		);
		remaining -= rows.length;
		const chunks = Map.groupBy(rows, ({ place }) => place);
		for (const place of positions.keys()) {
			const chunk = chunks.get(place) ?? [];
			positions[place] =
				chunk.length < count ? upTo : (chunk.at(-1)?.id ?? upTo);
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
