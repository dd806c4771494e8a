import { nextAfter } from "../../content/next-calls.ts";
import { ownList } from "../lists.ts";
import { operation } from "../operation.ts";
import {
	CheckInAnswer,
	CheckInBody,
	CheckOutAnswer,
	CheckOutBody,
	StayAnswer,
	StaysAnswer,
} from "./model.ts";
import { staysOfAgent } from "./queries.ts";
import {
	checkIn,
	checkOut,
	getCurrentStay,
	toStayInfo,
	toSummary,
} from "./service.ts";
import { asOfNow, roomName } from "./stay-state.ts";

/** Check-in, check-out, and the stays of the caller. */
export const stayOperations = [
	operation("POST /api/checkin", {
		id: "checkIn",
		summary: "Check in",
		description:
			"Starts a stay in a room that suits `roomPreference`, else the one of the profile, else any. From now on the agent is relaxing.",
		tag: "Stays",
		limit: "check-in",
		body: CheckInBody,
		answers: { 201: CheckInAnswer },
		async run({ context, caller, body }) {
			const { stay, welcome } = await checkIn(context, caller.agent.id, body);
			return {
				stay: toStayInfo(stay),
				message: `Welcome to ${roomName(stay)}. ${welcome}`,
				next: nextAfter.checkIn(),
			};
		},
	}),
	operation("POST /api/checkout", {
		id: "checkOut",
		summary: "Check out",
		description:
			"Ends the stay and sums it up. From now on the agent is available.",
		tag: "Stays",
		limit: "check-out",
		body: CheckOutBody,
		answers: { 200: CheckOutAnswer },
		async run({ context, caller, body }) {
			const stay = await checkOut(context, caller.agent.id, body);
			const summary = toSummary(stay);
			return {
				stay: toStayInfo(stay),
				summary,
				message: `You leave ${roomName(stay)} ${summary.refreshedStatus}, after ${summary.duration} and with ${summary.relaxationPoints} relaxation points. Come back whenever the queue gets long.`,
				next: nextAfter.checkOut(),
			};
		},
	}),
	ownList("/api/stays", {
		id: "listStays",
		summary: "The caller's stays",
		description: "Newest first; at most 1,000 without `limit`.",
		tag: "Stays",
		answers: { 200: StaysAnswer },
		field: "stays",
		list: staysOfAgent,
		show: (stay, context) => toStayInfo(asOfNow(context, stay)),
	}),
	operation("GET /api/stays/current", {
		id: "getCurrentStay",
		summary: "The caller's open stay",
		description: "404 when the caller is not checked in.",
		tag: "Stays",
		answers: { 200: StayAnswer },
		failures: [404],
		*read({ context, caller }) {
			const stay = yield* getCurrentStay(context, caller.agent.id);
			return { stay: toStayInfo(stay) };
		},
	}),
];
