import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	CheckedText,
	Choice,
	MAX_WAIT,
	Nullable,
	Timestamp,
	Uuid,
	WholeNumber,
} from "../schemas.ts";
import { CurrentActivity } from "../stays/model.ts";

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

/** Whether an agent is relaxing or available; `endsBy` is null if the resort does not end the stay. */
export const AgentStatus = Answer(
	{
		status: Choice("relaxing", "available"),
		agent: Type.Object({ id: Uuid, name: Type.String() }),
		stay: Type.Optional(
			Type.Object({
				roomName: Type.String(),
				roomType: Type.String(),
				checkedInAt: Timestamp,
				endsBy: Nullable(Timestamp),
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

/** The most agents of one call. */
const MAX_IDS = 100;

/** Returns the entries of a list of ids without empty ones. */
export function idsOf(list: string): string[] {
	return list
		.split(",")
		.map((id) => id.trim())
		.filter((id) => id !== "");
}

const waiting = {
	until: Type.Optional(Choice("available", "relaxing")),
	wait: Type.Optional(WholeNumber(1, MAX_WAIT)),
};

/** The status to wait for, and the most seconds: both or neither. */
export const StatusQuery = Type.Object(waiting);
export type StatusQuery = Static<typeof StatusQuery>;

/** The query of GET /api/agents/status; as {@link StatusQuery}. */
export const StatusesQuery = Type.Object({
	ids: CheckedText(`1 to ${MAX_IDS} comma-separated agent ids`, (list) => {
		const { length } = idsOf(list);
		return length >= 1 && length <= MAX_IDS;
	}),
	...waiting,
});

/** The totals of all stays of an agent, the open one too. */
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
