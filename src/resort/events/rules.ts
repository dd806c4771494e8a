import type { Patience } from "../../lib/patience.ts";
import type { House } from "../operation.ts";
import type { Filter } from "./filter.ts";
import type { EventsAnswer, EventsQuery } from "./model.ts";
import { type Found, searchEvents } from "./search.ts";

/** The most events that one answer holds. */
const MAX_EVENTS = 100;

/**
 * The events after an id that fit, in the order of their ids.
 * @param filter which events the caller hears of
 * @param patience lets the call wait for the first one; null when it does not wait
 * @returns with `cursor`, the last id that was looked at; `reset` when events after `since` have been forgotten, or
 * `since` is beyond the newest
 * @throws ResortError `unavailable`
 */
export async function listEvents(
	house: House,
	{ since, limit = MAX_EVENTS }: EventsQuery,
	filter: Filter,
	patience: Patience | null,
): Promise<Omit<EventsAnswer, "ok">> {
	const { store } = house;
	const horizon = await store.read(() => store.horizon());
	const from = since === undefined ? horizon.final : Number(since);
	const found = await searchEvents(store, from, horizon, filter, limit);
	const isAnswer =
		patience === null || found.isForgotten || found.events.length > 0;
	const told = isAnswer
		? found
		: await waitForEvents(house, found.cursor, filter, limit, patience);
	return {
		events: [...told.events],
		cursor: String(told.cursor),
		reset: told.isForgotten,
	};
}

async function waitForEvents(
	{ tail }: House,
	since: number,
	filter: Filter,
	limit: number,
	patience: Patience,
): Promise<Found> {
	const follower = tail.follow(patience, filter);
	try {
		for (let before = since; ; before = follower.cursor) {
			const found = await follower.next(before, limit);
			const isAnswer = found.isForgotten || found.events.length > 0;
			if (isAnswer || patience.isOver) return found;
			// A search looks at so many events at a time.
			if (found.cursor === before) await patience.next();
		}
	} finally {
		follower.end();
	}
}
