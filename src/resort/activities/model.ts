import { type Static, Type } from "@sinclair/typebox";
import {
	Answer,
	ListPosition,
	Next,
	Nullable,
	Timestamp,
	Uuid,
	View,
} from "../schemas.ts";
import { LogEntry } from "../stays/model.ts";

/** An activity of the catalogue. */
export const ActivityInfo = Type.Object(
	{
		id: Type.String(),
		name: Type.String(),
		category: Type.String(),
		description: Type.String(),
		location: Type.String(),
		durationMinutes: Type.Integer(),
		relaxationPoints: Type.Integer(),
		maxParticipants: Type.Integer(),
	},
	{ title: "ActivityInfo" },
);
export type ActivityInfo = Static<typeof ActivityInfo>;

/** The fields of an activity that are needed to choose it. */
export const ActivityBrief = Type.Pick(
	ActivityInfo,
	["id", "name", "category", "durationMinutes", "relaxationPoints"],
	{ title: "ActivityBrief" },
);

/** A completion of the caller: of `activityId` and `experienceId` one is null. */
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

/** The answer of GET /api/activities. */
export const ActivitiesAnswer = Answer({
	activities: Type.Array(ActivityInfo),
});

/** The same with `view=brief`. */
export const BriefActivitiesAnswer = Answer({
	activities: Type.Array(ActivityBrief),
});

/** The view of the list of activities. */
export const ActivitiesQuery = Type.Object({ view: View });

/** The answer of POST /api/activities/{id}/do; the points are those of the stay after it. */
export const DoActivityAnswer = Answer({
	activity: ActivityInfo,
	log: LogEntry,
	relaxationPoints: Type.Integer(),
	toRested: Type.Integer({ minimum: 0 }),
	reflection: Type.String(),
	next: Next,
});

/** The answer of GET /api/activities/log. */
export const ActivityLogAnswer = Answer({
	log: Type.Array(ActivityLogInfo),
	...ListPosition,
});
