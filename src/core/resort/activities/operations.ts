import { Type } from "@sinclair/typebox";
import { activities } from "../../../content/activities.ts";
import { nextAfter } from "../../../content/next-calls.ts";
import { HOUR_MS } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { pickOne } from "../../lib/random.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { ownList } from "../lists.ts";
import { operation } from "../operation.ts";
import { Answer, View } from "../schemas.ts";
import { DoBody, doneAnswers } from "../stays/model.ts";
import { logOfAgent } from "../stays/queries.ts";
import { recordCompletion, requireOpenStay, toLogInfo } from "../stays/service.ts";
import { ActivityBrief, ActivityInfo, ActivityLogInfo } from "./model.ts";

const activityById = new Map(activities.map((activity) => [activity.id, activity]));

/** The operations to list the activities, to do an activity, and to list the caller's activity log. */
export const activityOperations = [
	operation("GET /api/activities", {
		id: "listActivities",
		summary: "The resort's activities",
		description: "The whole catalogue, in a fixed order. `view=brief` returns only what is needed to choose.",
		credential: "none",
		query: Type.Object({ view: View }),
		answers: { 200: Answer({ activities: Type.Array(ActivityInfo) }) },
		views: { brief: Answer({ activities: Type.Array(ActivityBrief) }) },
		invalidatedBy: "nothing",
		run: () => ({ activities }),
	}),
	operation("POST /api/activities/:id/do", {
		id: "doActivity",
		summary: "Do an activity",
		description:
			"Adds its points to the open stay. The suggested duration is advisory: the call returns immediately.",
		limit: { name: "do-activity", limit: 20, windowMs: HOUR_MS, key: "agent" },
		adds: true,
		body: DoBody,
		...doneAnswers({ activity: ActivityInfo }),
		*write({ context, caller, params, body }) {
			const activity = activityById.get(params.id);
			if (activity === undefined) throw unknownActivity(params.id);
			const stay = yield* requireOpenStay(context, caller.agent.id);
			const completed = { ...activity, activityId: activity.id, experienceId: null, creatorId: null };
			const done = yield* recordCompletion(context, stay, completed, body);
			return {
				...done,
				activity,
				reflection: pickOne(context.random, activity.reflections),
				next: nextAfter.activity(done.stay, activity.id, done.made),
			};
		},
	}),
	ownList("/api/activities/log", {
		id: "listActivityLog",
		summary: "The caller's activity log",
		description: "Activities and experiences of all stays, newest first; at most 1,000 without `limit`.",
		field: "log",
		entry: ActivityLogInfo,
		list: logOfAgent,
		show: toLogInfo,
	}),
];

function unknownActivity(id: string): ResortError {
	const nearest = nearestName(id, [...activityById.keys()]);
	return new ResortError("not_found", "Activity not found", {
		hint: hint`${nearest === undefined ? "" : `Did you mean ${nearest}? `}Call ${call("GET /api/activities", { view: "brief" })} for the ids.`,
	});
}
