import { type Input, operation } from "../operation.ts";
import { MAX_LIMIT } from "../schemas.ts";
import { type Filter, filterOf } from "./event-filter.ts";
import { showEvent } from "./event-info.ts";
import { emptyPage, isResult } from "./event-log.ts";
import { EventsAnswer, EventsQuery } from "./model.ts";

/** The operations that return events of the resort and of the caller. */
export const eventOperations = [
	operation("GET /api/events", {
		id: "listEvents",
		summary: "The public events",
		description:
			"Public events after the id `since`, oldest first. Continue with `cursor` as `since`. With " +
			"`wait`, the response is sent when the first matching event happens. A call examines at " +
			"most 5,000 events, and may therefore return none. `reset` is true if events in between " +
			"have been deleted, or if `since` is greater than the newest id: then request a snapshot, " +
			"such as statuses, and continue from `cursor`. With `Accept: text/event-stream`, events are " +
			"streamed as they happen; `Last-Event-ID` resumes the stream, and `event: reset` means the " +
			"same as `reset`.",
		credential: "none",
		query: EventsQuery,
		answers: { 200: EventsAnswer },
		isFresh: true,
		waits: true,
		streams: ({ query }) => filterOf(query, null),
		run: (input) => listEvents(input, filterOf(input.query, null)),
	}),
	operation("GET /api/me/events", {
		id: "listOwnEvents",
		summary: "The caller's events",
		description:
			"The caller's own events, private events addressed to it, and events of its experiences, in the same format as public events.",
		query: EventsQuery,
		answers: { 200: EventsAnswer },
		waits: true,
		streams: ({ query, caller }) => filterOf(query, caller.agent.id),
		run: (input) => listEvents(input, filterOf(input.query, input.caller.agent.id)),
	}),
];

/**
 * Returns the matching events after the id `since`, in order. If there are none and the call waits, returns
 * the first matching events that happen.
 * @throws ResortError `unavailable`
 */
async function listEvents(
	{ context, query, waitSignal, address }: Input<unknown, EventsQuery>,
	filter: Filter,
): Promise<Omit<EventsAnswer, "ok">> {
	const { eventLog } = context;
	const { since, limit = MAX_LIMIT } = query;
	const network = address();
	let page =
		since === undefined
			? emptyPage(await eventLog.newest())
			: await eventLog.search(network, { since: Number(since), filter, limit });
	if (waitSignal !== null && !isResult(page)) {
		page = await eventLog.wait(waitSignal, network, { since: page.cursor, filter, limit });
	}
	return { events: page.events.map(showEvent), cursor: String(page.cursor), reset: page.isForgotten };
}
