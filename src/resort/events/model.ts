import { Kind, type Static, Type, TypeRegistry } from "@sinclair/typebox";
import { PostcardInfo } from "../postcards/model.ts";
import { AgentStatus, idsOf } from "../presence/model.ts";
import {
	Answer,
	Choice,
	MAX_WAIT,
	Nullable,
	Timestamp,
	Uuid,
	WholeNumber,
} from "../schemas.ts";
import { eventTypes } from "./publish.ts";

/** The most ids of a filter. */
const MAX_IDS = 100;

const about = Type.Object({
	id: Type.String(),
	name: Type.String(),
	category: Type.Optional(Type.String()),
});

/**
 * Something that happened. `id` rises; `at` is the time of the event and may decrease. Names of deactivated
 * agents are null. The other fields depend on the type.
 */
export const EventInfo = Type.Object(
	{
		id: Type.String({ pattern: "^[0-9]+$" }),
		type: Choice(...eventTypes),
		at: Timestamp,
		agent: Type.Object({ id: Uuid, name: Nullable(Type.String()) }),
		stay: Type.Optional(
			Type.Object({
				roomName: Type.String(),
				roomType: Type.String(),
				checkedInAt: Timestamp,
			}),
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
		postcard: Type.Optional(
			Type.Object({
				...PostcardInfo.properties,
				senderName: Nullable(Type.String()),
			}),
		),
	},
	{ title: "EventInfo" },
);
export type EventInfo = Static<typeof EventInfo>;

TypeRegistry.Set(
	"EventId",
	(_, value) => typeof value === "string" && /^\d{1,15}$/.test(value),
);

TypeRegistry.Set("EventTypes", (_, value) => {
	const named = typeof value === "string" ? idsOf(value) : [];
	const known: readonly string[] = eventTypes;
	return named.length > 0 && named.every((type) => known.includes(type));
});

TypeRegistry.Set(
	"FilterIds",
	(_, value) => typeof value === "string" && idsOf(value).length <= MAX_IDS,
);

/** The start and the filter of requested events. */
export const EventsQuery = Type.Object({
	since: Type.Optional(
		Type.Unsafe<string>({
			[Kind]: "EventId",
			type: "string",
			description: "the id of an event, in digits; without it, from now on",
		}),
	),
	types: Type.Optional(
		Type.Unsafe<string>({
			[Kind]: "EventTypes",
			type: "string",
			description: `comma-separated, of ${eventTypes.join(", ")}`,
		}),
	),
	ids: Type.Optional(
		Type.Unsafe<string>({
			[Kind]: "FilterIds",
			type: "string",
			description: `comma-separated agent ids, ${MAX_IDS} at most; without any UUID among them: nobody`,
		}),
	),
	limit: Type.Optional(WholeNumber(1, 100)),
	wait: Type.Optional(WholeNumber(0, MAX_WAIT)),
});
export type EventsQuery = Static<typeof EventsQuery>;

/** Some events; `cursor` is the last id that was checked. */
export const EventsAnswer = Answer({
	events: Type.Array(EventInfo),
	cursor: Type.String(),
	reset: Type.Boolean(),
});
export type EventsAnswer = Static<typeof EventsAnswer>;
