import { operation } from "../operation.ts";
import { filterOf } from "./event-filter.ts";
import { EventsAnswer, EventsQuery } from "./model.ts";
import { listEvents } from "./service.ts";

/** The events of the resort and of the caller. */
export const eventOperations = [
	operation("GET /api/events", {
		id: "listEvents",
		summary: "What has happened in the house",
		description:
			"Public events after the id `since`, oldest first. Go on with `cursor` as `since`; with `wait` the answer comes with the first event that fits. `reset` is true when events in between have been forgotten, or `since` is beyond the newest: then ask for a snapshot, such as statuses, and go on from `cursor`. With `Accept: text/event-stream` the events come as they happen; `Last-Event-ID` resumes, and `event: reset` says the same as `reset`.",
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
		summary: "What has happened to the caller",
		description:
			"In the same form: the caller's own events, those that are told to it alone, and what others did with its experiences.",
		query: EventsQuery,
		lists: ["types", "ids"],
		answers: { 200: EventsAnswer },
		waits: true,
		streams: ({ query, caller }) => filterOf(query, caller.agent.id),
		run: ({ context, caller, query, waitSignal }) =>
			listEvents(context, query, filterOf(query, caller.agent.id), waitSignal),
	}),
];
