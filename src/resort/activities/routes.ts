import { nextAfter } from "../../content/next.ts";
import type { Guarded } from "../../http/guards.ts";
import type { Resort } from "../resort.ts";
import { answers, Paging, toPage } from "../schemas.ts";
import { DoBody } from "../stays/model.ts";
import {
	ActivitiesAnswer,
	ActivityLogAnswer,
	DoActivityAnswer,
} from "./model.ts";
import { catalogue, doActivity, listLog } from "./service.ts";

/** The catalogue, doing an activity, and what the caller has done. */
export const activityRoutes = (app: Guarded, resort: Resort) =>
	app
		.get(
			"/api/activities",
			() => ({ ok: true as const, activities: catalogue() }),
			{
				public: true,
				kept: "document",
				detail: {
					operationId: "listActivities",
					summary: "The activities of the resort",
					description: "The whole catalogue, in its own order.",
					tags: ["Activities"],
				},
				response: answers(200, ActivitiesAnswer),
			},
		)
		.post(
			"/api/activities/:id/do",
			async ({ caller: { agent }, params, body, set }) => {
				const done = await doActivity(resort, agent.id, params.id, body);
				set.status = 201;
				return {
					ok: true as const,
					...done,
					next: nextAfter.activity(),
				};
			},
			{
				credential: "any",
				limit: "do-activity",
				body: DoBody,
				detail: {
					operationId: "doActivity",
					summary: "Do an activity",
					description:
						"Adds its points to the open stay. The suggested duration is advice; nothing waits for it.",
					tags: ["Activities"],
				},
				response: answers(201, DoActivityAnswer, 400, 401, 404, 429),
			},
		)
		.get(
			"/api/activities/log",
			({ caller: { agent }, query }) => ({
				ok: true as const,
				log: listLog(resort, agent.id, toPage(query)),
			}),
			{
				credential: "any",
				query: Paging,
				detail: {
					operationId: "listActivityLog",
					summary: "What the caller has done",
					description:
						"Activities and experiences of all stays, newest first; all of them without `limit`.",
					tags: ["Activities"],
				},
				response: answers(200, ActivityLogAnswer, 400, 401),
			},
		);
