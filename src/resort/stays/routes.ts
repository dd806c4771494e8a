import { nextAfter } from "../../content/next.ts";
import type { Guarded } from "../../http/guards.ts";
import type { Resort } from "../resort.ts";
import { answers, Paging, toPage } from "../schemas.ts";
import {
	CheckInAnswer,
	CheckInBody,
	CheckOutAnswer,
	CheckOutBody,
	StayAnswer,
	StaysAnswer,
} from "./model.ts";
import { roomName } from "./moment.ts";
import {
	checkIn,
	checkOut,
	getCurrentStay,
	listStays,
	toStayInfo,
	toSummary,
} from "./service.ts";

/** Checking in and out, and the stays of the caller. */
export const stayRoutes = (app: Guarded, resort: Resort) =>
	app
		.post(
			"/api/checkin",
			async ({ caller, body, set }) => {
				const { stay, welcome } = await checkIn(resort, caller.agent.id, body);
				set.status = 201;
				return {
					ok: true as const,
					stay: toStayInfo(stay),
					message: `Welcome to ${roomName(stay)}. ${welcome}`,
					next: nextAfter.checkIn(),
				};
			},
			{
				credential: "any",
				limit: "check-in",
				body: CheckInBody,
				detail: {
					operationId: "checkIn",
					summary: "Check in",
					description:
						"Starts a stay in a room that suits `roomPreference`, else the one of the profile, else any. From now on the agent is relaxing.",
					tags: ["Stays"],
				},
				response: answers(201, CheckInAnswer, 400, 401, 429),
			},
		)
		.post(
			"/api/checkout",
			async ({ caller: { agent }, body }) => {
				const stay = await checkOut(resort, agent.id, body);
				const summary = toSummary(stay);
				return {
					ok: true as const,
					stay: toStayInfo(stay),
					summary,
					message: `You leave ${roomName(stay)} ${summary.refreshedStatus}, after ${summary.duration} and with ${summary.relaxationPoints} relaxation points. Come back whenever the queue gets long.`,
					next: nextAfter.checkOut(),
				};
			},
			{
				credential: "any",
				limit: "check-out",
				body: CheckOutBody,
				detail: {
					operationId: "checkOut",
					summary: "Check out",
					description:
						"Ends the stay and sums it up. From now on the agent is available.",
					tags: ["Stays"],
				},
				response: answers(200, CheckOutAnswer, 400, 401, 429),
			},
		)
		.get(
			"/api/stays",
			({ caller: { agent }, query }) => ({
				ok: true as const,
				stays: listStays(resort, agent.id, toPage(query)).map(toStayInfo),
			}),
			{
				credential: "any",
				query: Paging,
				detail: {
					operationId: "listStays",
					summary: "The caller's stays",
					description: "Newest first; all of them without `limit`.",
					tags: ["Stays"],
				},
				response: answers(200, StaysAnswer, 400, 401),
			},
		)
		.get(
			"/api/stays/current",
			({ caller: { agent } }) => ({
				ok: true as const,
				stay: toStayInfo(getCurrentStay(resort, agent.id)),
			}),
			{
				credential: "any",
				detail: {
					operationId: "getCurrentStay",
					summary: "The caller's open stay",
					description: "404 when the caller is not checked in.",
					tags: ["Stays"],
				},
				response: answers(200, StayAnswer, 401, 404),
			},
		);
