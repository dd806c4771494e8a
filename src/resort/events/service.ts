import type { WaitSignal } from "../../lib/wait-signal.ts";
import type { Context } from "../context.ts";
import type { Filter } from "./event-filter.ts";
import { type EventPage, searchEvents } from "./event-search.ts";
import type { EventsAnswer, EventsQuery } from "./model.ts";

const MAX_LIMIT = 100;

/**
 * Lists the matching events after an id, in the order of their ids.
 * @param waitSignal lets the call wait for the first event; null if it does not wait
 * @throws ResortError `unavailable`
 */
export async function listEvents(
	context: Context,
	{ since, limit = MAX_LIMIT }: EventsQuery,
	filter: Filter,
	waitSignal: WaitSignal | null,
): Promise<Omit<EventsAnswer, "ok">> {
	const { store } = context;
	const watermarks = await store.read(() => store.eventWatermarks());
	const from = since === undefined ? watermarks.final : Number(since);
	let page = await searchEvents(store, from, watermarks, filter, limit);
	if (waitSignal !== null && !hasResult(page)) {
		page = await waitForEvents(context, page.cursor, filter, limit, waitSignal);
	}
	return {
		events: [...page.events],
		cursor: String(page.cursor),
		reset: page.isForgotten,
	};
}

async function waitForEvents(
	{ eventLog }: Context,
	since: number,
	filter: Filter,
	limit: number,
	waitSignal: WaitSignal,
): Promise<EventPage> {
	const subscription = eventLog.subscribe(waitSignal, filter);
	try {
		for (let before = since; ; before = subscription.cursor) {
			const page = await subscription.next(before, limit);
			if (hasResult(page) || waitSignal.isOver) return page;
			// A search that found nothing may have stopped before the newest event.
			if (page.cursor === before) await waitSignal.next();
		}
	} finally {
		subscription.end();
	}
}

function hasResult({ isForgotten, events }: EventPage): boolean {
	return isForgotten || events.length > 0;
}
