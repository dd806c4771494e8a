import { setImmediate } from "node:timers/promises";
import type { EventWatermarks, Store } from "../../store/store.ts";
import { type Filter, isFor } from "./filter.ts";
import { readEvents } from "./info.ts";
import type { EventInfo } from "./model.ts";
import { firstEvent, nextEvents } from "./queries.ts";

/** How many events are looked at without a pause, and for one answer. */
const ROWS_AT_ONCE = 1_000;
const ROWS_AT_MOST = 5_000;

/** Some events, oldest first. */
export interface Found {
	readonly events: readonly EventInfo[];
	/** The last id that was looked at. */
	readonly cursor: number;
	/**
	 * Whether events after the id that was asked for have been forgotten, or it is beyond the newest. Then there are no
	 * events here, and `cursor` is the newest id that is final.
	 */
	readonly isForgotten: boolean;
}

/**
 * The first events in the database that fit, after an id and as far as they are final.
 * @param limit at most a slice
 * @throws ResortError `unavailable`
 */
export async function searchEvents(
	store: Store,
	since: number,
	{ final, newest }: EventWatermarks,
	filter: Filter,
	limit: number,
): Promise<Found> {
	// What it has been told of was final then: it is again once those before it are written.
	if (since > final && since <= newest) {
		return { events: [], cursor: since, isForgotten: false };
	}
	const first = await store.read(() => firstEvent(store).get({}));
	const isForgotten =
		since < final && (first === undefined || first.id > since + 1);
	if (isForgotten || since > newest) {
		return { events: [], cursor: final, isForgotten: true };
	}
	const { found, cursor } = await search(store, since, final, filter, limit);
	const events =
		found.length === 0 ? [] : await store.read(() => readEvents(store, found));
	return { events, cursor, isForgotten: false };
}

async function search(
	store: Store,
	since: number,
	upTo: number,
	filter: Filter,
	limit: number,
): Promise<{ found: number[]; cursor: number }> {
	const found: number[] = [];
	let cursor = since;
	for (let looked = 0; looked < ROWS_AT_MOST; looked += ROWS_AT_ONCE) {
		if (looked > 0) await setImmediate();
		const after = { since: cursor, upTo, limit: ROWS_AT_ONCE };
		const rows = await store.read(() => nextEvents(store).all(after));
		for (const row of rows) {
			cursor = row.id;
			if (isFor(filter, row) && found.push(row.id) === limit)
				return { found, cursor };
		}
		if (rows.length < ROWS_AT_ONCE) return { found, cursor: upTo };
	}
	return { found, cursor };
}
