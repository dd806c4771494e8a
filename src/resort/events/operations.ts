import type { WaitSignal } from "../../lib/wait-signal.ts";
import type { Context } from "../context.ts";
import { operation } from "../operation.ts";
import { type Filter, filterOf } from "./event-filter.ts";
import { type EventPage, searchEvents } from "./event-search.ts";
import { EventsAnswer, EventsQuery } from "./model.ts";

/** The most events of one answer. */
const MAX_LIMIT = 100;

/** The events of the resort and of the caller. */
export const eventOperations = [
	operation("GET /api/events", {
		id: "listEvents",
		summary: "The public events",
		description:
			"Public events after the id `since`, oldest first. Continue with `cursor` as `since`. With `wait`, the response is sent when the first matching event happens. `reset` is true if events in between have been deleted, or if `since` is greater than the newest id: then request a snapshot, such as statuses, and continue from `cursor`. With `Accept: text/event-stream`, events are streamed as they happen; `Last-Event-ID` resumes the stream, and `event: reset` means the same as `reset`.",
		credential: "none",
		query: EventsQuery,
		lists: ["types", "ids"],
		answers: { 200: EventsAnswer },
		isFresh: true,
		waits: true,
		streams: ({ query }) => filterOf(query, null),
		run: ({ context, query, waitSignal }) =>
			listEvents(context, query, filterOf(query, null), waitSignal),
	}),
	operation("GET /api/me/events", {
		id: "listOwnEvents",
		summary: "The caller's events",
		description:
			"In the same form: the caller's own events, its private ones, and what others did with its experiences.",
		query: EventsQuery,
		lists: ["types", "ids"],
		answers: { 200: EventsAnswer },
		waits: true,
		streams: ({ query, caller }) => filterOf(query, caller.agent.id),
		run: ({ context, caller, query, waitSignal }) =>
			listEvents(context, query, filterOf(query, caller.agent.id), waitSignal),
	}),
];

/**
 * Lists the matching events after an id, in the order of their ids.
 * @param waitSignal lets the call wait for the first event; null if it does not wait
 * @throws ResortError `unavailable`
 */
async function listEvents(
	context: Context,
	{ since, limit = MAX_LIMIT }: EventsQuery,
	filter: Filter,
	waitSignal: WaitSignal | null,
): Promise<Omit<EventsAnswer, "ok">> {
	const { store, eventLog } = context;
	const watermarks = await store.read(() => store.eventWatermarks());
	const from = since === undefined ? watermarks.final : Number(since);
	let page = await searchEvents(store, from, watermarks, filter, limit);
	if (waitSignal !== null && !hasResult(page)) {
		const subscription = eventLog.subscribe(waitSignal, filter);
		try {
			for (let before = page.cursor; ; before = subscription.cursor) {
				page = await subscription.next(before, limit);
				if (hasResult(page) || waitSignal.isOver) break;
				// A search that found nothing may have stopped before the newest event.
				if (page.cursor === before) await waitSignal.next();
			}
		} finally {
			subscription.end();
		}
	}
	return {
		events: [...page.events],
		cursor: String(page.cursor),
		reset: page.isForgotten,
	};
}

function hasResult({ isForgotten, events }: EventPage): boolean {
	return isForgotten || events.length > 0;
}
