import { type Static, Type } from "@sinclair/typebox";
import { Nullable, Timestamp, Uuid } from "../schemas.ts";
import { DoableFields } from "../stays/model.ts";

/** An activity in the catalogue. */
export const ActivityInfo = Type.Object(
	{ id: Type.String(), ...DoableFields, maxParticipants: Type.Integer() },
	{ title: "ActivityInfo" },
);
export type ActivityInfo = Static<typeof ActivityInfo>;

/** The fields of an activity that GET /api/activities returns with `view=brief`. */
export const ActivityBrief = Type.Pick(
	ActivityInfo,
	["id", "name", "category", "durationMinutes", "relaxationPoints"],
	{ title: "ActivityBrief" },
);

/** An entry in the caller's activity log. Either `activityId` or `experienceId` is null. */
export const ActivityLogInfo = Type.Object(
	{
		id: Uuid,
		stayId: Uuid,
		activityId: Nullable(Type.String()),
		experienceId: Nullable(Type.String()),
		activityName: Type.String(),
		activityCategory: Type.String(),
		startedAt: Timestamp,
		notes: Nullable(Type.String()),
		relaxationPoints: Type.Integer(),
	},
	{ title: "ActivityLogInfo" },
);
export type ActivityLogInfo = Static<typeof ActivityLogInfo>;
