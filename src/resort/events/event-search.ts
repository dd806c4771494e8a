import { setImmediate } from "node:timers/promises";
import type { EventWatermarks, Store } from "../../store/store.ts";
import { runAll } from "../../store/task.ts";
import { type Filter, matches } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import type { EventInfo } from "./model.ts";
import { firstEvent, nextEvents } from "./queries.ts";

/** The most events that a search examines. */
const MAX_EXAMINED = 5_000;

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
	const branches = filter.sources.map((source) => ({
		...source,
		position: since,
	}));
	// An event may be in several sources.
	const found = new Set<number>();
	let ids: number[] = [];
	let cursor = branches.length === 0 ? upTo : since;
	let remaining = MAX_EXAMINED;
	for (let rows = limit; ids.length < limit; rows *= GROWTH) {
		const open = branches.filter(({ position }) => position < upTo);
		const count = Math.min(rows, Math.floor(remaining / open.length));
		if (open.length === 0 || count === 0) break;
		if (rows > limit) await setImmediate();
		const chunks = await store.read(() =>
			runAll(
				open.map(function* ({ index, key, position }) {
					const range = { since: position, upTo, limit: count };
					return yield* nextEvents[index](store).all({ key, ...range });
				}),
			),
		);
		for (const [at, branch] of open.entries()) {
			const chunk = chunks[at] ?? [];
			remaining -= chunk.length;
			const last = chunk.length < count ? undefined : chunk.at(-1);
			branch.position = last?.id ?? upTo;
			for (const row of chunk) if (matches(filter, row)) found.add(row.id);
		}
		cursor = Math.min(...branches.map(({ position }) => position));
		ids = [...found]
			.filter((id) => id <= cursor)
			.sort((one, other) => one - other)
			.slice(0, limit);
	}
	return {
		ids,
		cursor: ids.length === limit ? (ids.at(-1) ?? cursor) : cursor,
	};
}
