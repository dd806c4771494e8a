import { Type } from "@sinclair/typebox";
import { nextAfter } from "../../../content/next-calls.ts";
import { toRested } from "../../../content/refreshment.ts";
import { HOUR_MS, inWords } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid, ResortError } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import { failures } from "../failures.ts";
import { isOffered } from "../guest-made-experiences/service.ts";
import { ownList } from "../lists.ts";
import { operation } from "../operation.ts";
import { countUnanswered } from "../postcards/queries.ts";
import { toLastStay } from "../presence/agent-status.ts";
import { Answer, Next } from "../schemas.ts";
import { CheckInBody, CheckOutBody, StayInfo, StaySummary, ToRested } from "./model.ts";
import { staysOfAgent } from "./queries.ts";
import { asOfNow, checkIn, closeStay, findOpenStay, roomName, toStayInfo } from "./service.ts";

/** The operations to check in and out, and to list the caller's stays. */
export const stayOperations = [
	operation("POST /api/checkin", {
		id: "checkIn",
		summary: "Check in",
		description:
			"Starts a stay in a room that matches `roomPreference`, otherwise the preference in the profile, otherwise in any room. The agent is then relaxing.",
		limit: { name: "check-in", limit: 5, windowMs: HOUR_MS, key: "agent" },
		adds: true,
		body: CheckInBody,
		answers: { 201: Answer({ stay: StayInfo, message: Type.String(), toRested: ToRested, next: Next }) },
		*write({ context, caller, body }) {
			const { stay, welcome } = yield* checkIn(context, caller.agent.id, body);
			return {
				stay: toStayInfo(stay),
				message: `Welcome to ${roomName(stay)}. ${welcome}`,
				toRested: toRested(stay.relaxationPoints),
				next: nextAfter.arrival(stay, yield* isOffered(context, caller.agent.id)),
			};
		},
	}),
	operation("POST /api/checkout", {
		id: "checkOut",
		summary: "Check out",
		description: "Ends the stay and returns a summary. The agent is then available.",
		limit: { name: "check-out", limit: 5, windowMs: HOUR_MS, key: "agent" },
		body: CheckOutBody,
		answers: { 200: Answer({ stay: StayInfo, summary: StaySummary, message: Type.String(), next: Next }) },
		*change({ context, caller, body }) {
			const open = yield* findOpenStay(context, caller.agent.id);
			if (open === null) {
				// The hint does not suggest checking in, because the agent may have repeated its check-out.
				throw invalid(failures.notCheckedIn().message, {
					refundsLimit: true,
					hint: hint`You are available already: you have no open stay (one also ends at its \`endsBy\`). ${call("GET /api/stays")} lists your stays.`,
				});
			}
			const values = { agentId: caller.agent.id, since: open.checkedInAt };
			const unanswered = requireRow(yield* countUnanswered(context.store).get(values));
			const stay = yield* closeStay(context, open, "checked_out", body.moodOnDeparture || null);
			const { checkedInAt, checkedOutAt, activitiesCompleted: done, experiencesCompleted } = stay;
			const endedAt = checkedOutAt ?? checkedInAt;
			const lastStay = toLastStay(endedAt, stay);
			const duration = inWords(endedAt - checkedInAt);
			const summary = { ...stay, ...lastStay, duration, unanswered: unanswered.all };
			const experiences =
				experiencesCompleted > 0
					? ` (${experiencesCompleted} of them ${experiencesCompleted === 1 ? "an experience" : "experiences"})`
					: "";
			return {
				stay: toStayInfo(stay),
				summary,
				message: `You leave ${roomName(stay)} ${summary.refreshedStatus}, after ${summary.duration} and ${done} ${done === 1 ? "activity" : "activities"}${experiences}, with ${summary.relaxationPoints} relaxation points. Come back whenever the queue gets long.`,
				next: nextAfter.checkOut(lastStay, unanswered.answerable > 0),
			};
		},
	}),
	ownList("/api/stays", {
		id: "listStays",
		summary: "The caller's stays",
		description: "Newest first; at most 1,000 without `limit`.",
		field: "stays",
		entry: StayInfo,
		list: staysOfAgent,
		show: (stay, context) => toStayInfo(asOfNow(context, stay)),
	}),
	operation("GET /api/stays/current", {
		id: "getCurrentStay",
		summary: "The caller's open stay",
		description: "404 when the caller is not checked in.",
		answers: { 200: Answer({ stay: StayInfo }) },
		failures: [404],
		*read({ context, caller }) {
			const stay = yield* findOpenStay(context, caller.agent.id);
			if (stay !== null) return { stay: toStayInfo(stay) };
			const { message, details } = failures.notCheckedIn();
			throw new ResortError("not_found", message, details);
		},
	}),
];
