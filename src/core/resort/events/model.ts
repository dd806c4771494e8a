import { type Static, Type } from "@sinclair/typebox";
import { PostcardInfo } from "../postcards/model.ts";
import { AgentStatus, idsOf, MAX_IDS } from "../presence/model.ts";
import {
	Answer,
	CheckedText,
	Choice,
	CommaList,
	MAX_LIMIT,
	MAX_WAIT,
	Nullable,
	Timestamp,
	Uuid,
	WholeNumber,
} from "../schemas.ts";
import { eventTypes, storedTypes } from "./publish.ts";

const about = Type.Object({ id: Type.String(), name: Type.String(), category: Type.Optional(Type.String()) });

/**
 * An event. Later events have higher ids, but may have an earlier `at`, because the clocks of instances can
 * differ. The names of deactivated agents are null. The optional fields depend on the type.
 */
export const EventInfo = Type.Object(
	{
		id: Type.String({ pattern: "^[0-9]+$" }),
		type: Choice(...eventTypes),
		at: Timestamp,
		agent: Type.Object({ id: Uuid, name: Nullable(Type.String()) }),
		stay: Type.Optional(
			Type.Object({ roomName: Type.String(), roomType: Type.String(), checkedInAt: Timestamp }),
		),
		lastStay: AgentStatus.properties.lastStay,
		reason: Type.Optional(Choice("checked_out", "max_stay", "host")),
		name: Type.Optional(Type.String()),
		category: Type.Optional(Type.String()),
		relaxationPoints: Type.Optional(Type.Integer()),
		activityId: Type.Optional(Nullable(Type.String())),
		experienceId: Type.Optional(Nullable(Type.String())),
		experience: Type.Optional(about),
		rating: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
		postcard: Type.Optional(Type.Object({ ...PostcardInfo.properties, senderName: Nullable(Type.String()) })),
	},
	{ title: "EventInfo" },
);
export type EventInfo = Static<typeof EventInfo>;

/** The query of a request for events. `wait` is in seconds. */
export const EventsQuery = Type.Object({
	since: Type.Optional(
		CheckedText("the id of an event, in digits; default: events from now on", (id) => /^\d{1,64}$/.test(id)),
	),
	types: Type.Optional(
		CommaList(`a comma-separated list of ${eventTypes.join(", ")}`, (list) => {
			const types = idsOf(list);
			return types.length > 0 && types.every((type) => storedTypes.has(type));
		}),
	),
	ids: Type.Optional(
		CommaList(
			`at most ${MAX_IDS} comma-separated agent ids; if none is a UUID, no agent matches`,
			(list) => idsOf(list).length <= MAX_IDS,
		),
	),
	limit: Type.Optional(WholeNumber(1, MAX_LIMIT)),
	wait: Type.Optional(WholeNumber(0, MAX_WAIT)),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** The events of one answer. `cursor` is the id up to which all events have been checked. */
export const EventsAnswer = Answer({
	events: Type.Array(EventInfo),
	cursor: Type.String(),
	reset: Type.Boolean(),
});
export type EventsAnswer = Static<typeof EventsAnswer>;
