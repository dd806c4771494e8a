import { Type } from "@sinclair/typebox";
import { activities } from "../../../content/activities.ts";
import { nextAfter } from "../../../content/next-calls.ts";
import { ownList } from "../lists.ts";
import { operation } from "../operation.ts";
import { Answer, View } from "../schemas.ts";
import { DoBody, doneAnswers } from "../stays/model.ts";
import { logOfAgent } from "../stays/queries.ts";
import { ActivityBrief, ActivityInfo, ActivityLogInfo } from "./model.ts";
import { doActivity, toLogInfo } from "./service.ts";

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
		limit: "do-activity",
		adds: true,
		body: DoBody,
		...doneAnswers({ activity: ActivityInfo }),
		*write({ context, caller, params, body }) {
			const done = yield* doActivity(context, caller.agent.id, params.id, body);
			const { stay, activity, made } = done;
			return { ...done, next: nextAfter.activity(stay, activity.id, made) };
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
