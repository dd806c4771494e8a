import type { WaitSignal } from "../../lib/wait-signal.ts";
import type { Context } from "../operation.ts";
import type { Filter } from "./filter.ts";
import type { EventsAnswer, EventsQuery } from "./model.ts";
import { type Found, searchEvents } from "./search.ts";

/** The most events that one answer holds. */
const MAX_EVENTS = 100;

/**
 * The events after an id that fit, in the order of their ids.
 * @param filter which events the caller hears of
 * @param waitSignal lets the call wait for the first one; null when it does not wait
 * @returns with `cursor`, the last id that was looked at; `reset` when events after `since` have been forgotten, or
 * `since` is beyond the newest
 * @throws ResortError `unavailable`
 */
export async function listEvents(
	context: Context,
	{ since, limit = MAX_EVENTS }: EventsQuery,
	filter: Filter,
	waitSignal: WaitSignal | null,
): Promise<Omit<EventsAnswer, "ok">> {
	const { store } = context;
	const horizon = await store.read(() => store.eventWatermarks());
	const from = since === undefined ? horizon.final : Number(since);
	const found = await searchEvents(store, from, horizon, filter, limit);
	const isAnswer =
		waitSignal === null || found.isForgotten || found.events.length > 0;
	const told = isAnswer
		? found
		: await waitForEvents(context, found.cursor, filter, limit, waitSignal);
	return {
		events: [...told.events],
		cursor: String(told.cursor),
		reset: told.isForgotten,
	};
}

async function waitForEvents(
	{ eventLog }: Context,
	since: number,
	filter: Filter,
	limit: number,
	waitSignal: WaitSignal,
): Promise<Found> {
	const follower = eventLog.subscribe(waitSignal, filter);
	try {
		for (let before = since; ; before = follower.cursor) {
			const found = await follower.next(before, limit);
			const isAnswer = found.isForgotten || found.events.length > 0;
			if (isAnswer || waitSignal.isOver) return found;
			// A search looks at so many events at a time.
			if (found.cursor === before) await waitSignal.next();
		}
	} finally {
		follower.end();
	}
}
