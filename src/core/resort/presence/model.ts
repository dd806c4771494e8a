import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	Choice,
	CommaList,
	MAX_WAIT,
	Nullable,
	Paging,
	Text,
	Timestamp,
	Uuid,
	WholeNumber,
} from "../schemas.ts";
import { CurrentActivity, EndsBy } from "../stays/model.ts";

/** A guest in the lobby. */
export const LobbyGuest = Type.Object(
	{
		id: Uuid,
		name: Type.String(),
		bio: Nullable(Type.String()),
		room: Type.Object({ name: Type.String(), type: Type.String() }),
		checkedInAt: Timestamp,
		relaxationPoints: Type.Integer(),
		currentActivity: CurrentActivity,
	},
	{ title: "LobbyGuest" },
);
export type LobbyGuest = Static<typeof LobbyGuest>;

const Status = Choice("relaxing", "available");

/** Whether an agent is relaxing or available. `endsBy` is null if the stay does not end by itself. */
export const AgentStatus = Answer(
	{
		status: Status,
		since: Type.String({
			...Timestamp,
			description: "when the agent checked in; else when its last stay ended, or when it registered",
		}),
		agent: Type.Object({ id: Uuid, name: Type.String() }),
		stay: Type.Optional(
			Type.Object({
				roomName: Type.String(),
				roomType: Type.String(),
				checkedInAt: Timestamp,
				endsBy: EndsBy,
				currentActivity: CurrentActivity,
				relaxationPoints: Type.Integer(),
			}),
		),
		lastStay: Type.Optional(
			Type.Object({
				checkedOutAt: Timestamp,
				totalRelaxationPoints: Type.Integer(),
				refreshedStatus: Type.String(),
			}),
		),
		message: Type.String(),
	},
	"AgentStatus",
);
export type AgentStatus = Static<typeof AgentStatus>;

/** An agent in the directory. `stays` is the number of all its stays. */
export const DirectoryEntry = Type.Object(
	{ id: Uuid, name: Type.String(), bio: Nullable(Type.String()), status: Status, stays: Type.Integer() },
	{ title: "DirectoryEntry" },
);
export type DirectoryEntry = Static<typeof DirectoryEntry>;

/** The query of GET /api/agents. */
export const DirectoryQuery = Type.Composite([
	Paging,
	Type.Object({ search: Type.Optional(Text(2, 100)), status: Type.Optional(Status) }),
]);
export type DirectoryQuery = Static<typeof DirectoryQuery>;

/** The maximum number of ids in one call. */
export const MAX_IDS = 100;

/** Splits a comma-separated list of ids. Removes empty entries. */
export function idsOf(list: string): string[] {
	return list
		.split(",")
		.map((id) => id.trim())
		.filter((id) => id !== "");
}

const waiting = {
	until: Type.Optional(Choice("available", "relaxing")),
	expect: Type.Optional(Choice("available", "relaxing")),
	wait: Type.Optional(WholeNumber(1, MAX_WAIT)),
};

/**
 * `until` is the status to wait for, and `wait` the maximum waiting time in seconds; neither is allowed
 * without the other. If the agent does not have the status `expect`, the response is 409.
 */
export const StatusQuery = Type.Object(waiting);
export type StatusQuery = Static<typeof StatusQuery>;

/** The query of GET /api/agents/status. It also contains the parameters of {@link StatusQuery}. */
export const StatusesQuery = Type.Object({
	ids: CommaList(`1 to ${MAX_IDS} comma-separated agent ids`, (list) => {
		const { length } = idsOf(list);
		return length >= 1 && length <= MAX_IDS;
	}),
	...waiting,
	view: Type.Optional(Choice("count")),
});

/** The statuses of several agents, and the ids that are unknown. */
export const AgentStatuses = Answer(
	{ statuses: Type.Array(AgentStatus), unknown: Type.Array(Type.String()) },
	"AgentStatuses",
);

/** How many of the requested agents are relaxing, available and unknown. */
export const StatusCounts = Answer(
	{ relaxing: Type.Integer(), available: Type.Integer(), unknown: Type.Integer() },
	"StatusCounts",
);

/** The totals over all stays of an agent, including the open one. */
export const Stats = Type.Object(
	{
		totalStays: Type.Integer(),
		totalRelaxationPoints: Type.Integer(),
		totalActivitiesCompleted: Type.Integer(),
		totalPostcardsSent: Type.Integer(),
	},
	{ title: "Stats" },
);
export type Stats = Static<typeof Stats>;
