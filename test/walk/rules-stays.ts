import { MINUTE_MS } from "../../src/core/lib/clock.ts";
import { iso } from "../support/values.ts";
import type { Agent, Completion, Experience, Stay } from "./entities.ts";
import { refusal, type Some, someText, success, suggestions, words } from "./expected.ts";
import { integer, maybe, oneOf, optional, paging, text } from "./fields.ts";
import { type Operation, open, own } from "./operation.ts";
import { newestFirst } from "./paging.ts";
import { wish } from "./rules-agents.ts";
import type { State } from "./state.ts";
import { answered, briefView, completionView, received, stayView } from "./views.ts";

const ROOM_TYPES = 50;
/** The number of points at which a guest is properly rested. */
const PROPERLY_RESTED = 18;

/** Returns `toRested`: the number of points that the guest still needs to be properly rested. */
export function missingPoints({ points }: Pick<Stay, "points">): number {
	return Math.max(0, PROPERLY_RESTED - points);
}

const mood = optional(text(0, 300));

/** The parameter `view` of a list. */
export const view = maybe(oneOf(null, "brief"));

/** The body of a call that does an activity or an experience. */
export const doBody = { notes: optional(text(0, 500)) };

/** The response to a call that requires an open stay, if there is none. */
export const notCheckedIn = refusal(400, "Not checked in");

/** The operations of stays and activities. */
export const stayOperations: Record<string, Operation> = {
	"POST /api/checkin": own(
		{ moodOnArrival: mood, roomPreference: optional(wish), maxMinutes: optional(integer(1, 10_080)) },
		({ state, nowMs, read }, caller) => {
			if (state.openStay(caller)) return refusal(400, "Already checked in");
			const preference = read.roomPreference ?? caller.profile.roomPreference;
			const stay: Stay = {
				id: "",
				order: 0,
				roomName: "",
				roomType: "",
				checkedInAt: nowMs,
				endsBy: state.lastEnd(read.maxMinutes),
				leftAt: null,
				moodOnArrival: read.moodOnArrival,
				moodOnDeparture: null,
				log: [],
				points: 0,
				postcards: 0,
			};
			return success(
				201,
				{
					stay: {
						...stayView(state, stay),
						id: state.newId(),
						roomName: state.freeRoom(),
						roomType: suitable(state, preference),
					},
					message: words,
					toRested: missingPoints(stay),
					next: suggestions,
				},
				({ body: { stay: given } }) => {
					const { id, roomName, roomType } = given;
					if (!roomName.startsWith(`${roomType} `)) {
						throw new Error(`${roomName} is no room of type ${roomType}`);
					}
					state.noteId(id);
					state.arrive(caller, { ...stay, id, roomName, roomType });
				},
			);
		},
	),
	"POST /api/checkout": own({ moodOnDeparture: mood }, ({ state, nowMs, read }, caller) => {
		const stay = state.openStay(caller);
		if (stay === undefined) return notCheckedIn;
		const unanswered = received(caller).filter(
			(postcard) =>
				postcard.sender !== caller &&
				postcard.createdAt >= stay.checkedInAt &&
				answered(postcard).answeredAt === null,
		).length;
		state.leave(caller, stay, nowMs, "checked_out");
		stay.moodOnDeparture = read.moodOnDeparture;
		return success(200, {
			stay: stayView(state, stay),
			summary: {
				duration: words,
				activitiesCompleted: stay.log.length,
				experiencesCompleted: stay.log.filter((done) => done.experience).length,
				postcardsSent: stay.postcards,
				relaxationPoints: stay.points,
				refreshedStatus: words,
				unanswered,
			},
			message: words,
			next: suggestions,
		});
	}),
	"GET /api/stays": own(paging, (visit, { stays }) =>
		newestFirst("stays", visit, stays, (stay) => stayView(visit.state, stay)),
	),
	"GET /api/stays/current": own({}, ({ state }, caller) => {
		const stay = state.openStay(caller);
		return stay ? success(200, { stay: stayView(state, stay) }) : refusal(404, "Not checked in");
	}),
	"GET /api/activities": open({ view }, ({ state: { catalogue }, read }) =>
		success(200, { activities: read.view ? catalogue.map(briefView) : catalogue }),
	),
	"POST /api/activities/:id/do": own(doBody, ({ state, id, read }, caller) => {
		const activity = state.catalogue.find((one) => one.id === id);
		if (activity === undefined) return refusal(404, "Activity not found");
		const stay = state.openStay(caller);
		if (stay === undefined) return notCheckedIn;
		return success(201, { activity, ...completed(state, stay, activity, read.notes) }, ({ body }) =>
			complete(state, caller, stay, {
				...activity,
				...read,
				id: body.log.id,
				activityId: activity.id,
				experience: null,
			}),
		);
	}),
	"GET /api/activities/log": own(paging, (visit, { log }) => newestFirst("log", visit, log, completionView)),
};

/** Returns the fields of a `do` call's response, except `activity` or `experience`. */
export function completed(
	state: State,
	stay: Stay,
	{ relaxationPoints }: { readonly relaxationPoints: number },
	notes: string | null,
) {
	return {
		log: { id: state.newId(), startedAt: iso(state.nowMs), notes },
		relaxationPoints: stay.points + relaxationPoints,
		toRested: missingPoints({ points: stay.points + relaxationPoints }),
		reflection: words,
		next: suggestions,
	};
}

/** Adds a completion to the model. */
export function complete(
	state: State,
	agent: Agent,
	stay: Stay,
	done: Pick<Completion, "id" | "name" | "category" | "notes" | "activityId"> &
		Pick<Completion, "experience"> &
		Pick<Experience, "durationMinutes" | "relaxationPoints">,
): void {
	const { experience, durationMinutes, relaxationPoints, ...told } = done;
	const completion: Completion = {
		...told,
		experience,
		stay,
		id: state.noteId(done.id),
		points: relaxationPoints,
		startedAt: state.nowMs,
		endsAt: state.nowMs + durationMinutes * MINUTE_MS,
	};
	if (experience && experience.creator !== agent) {
		const { creator } = experience;
		creator.visitors.push({ experience, agent, at: state.nowMs });
	}
	stay.points += done.relaxationPoints;
	stay.log.push(completion);
	agent.log.push(completion);
	const { activityId, name, category } = told;
	state.publish("agent.did", agent, {
		experience,
		details: { activityId, name, category, relaxationPoints },
	});
}

/** Returns the known room type whose name is the preference; otherwise any type. */
function suitable({ roomTypes }: State, wish: string | null): string | Some {
	const named = [...roomTypes].find((type) => type.toLowerCase() === wish?.toLowerCase());
	return (
		named ??
		someText(
			`one of ${ROOM_TYPES} room types`,
			(type) => type !== "" && (roomTypes.has(type) || roomTypes.size < ROOM_TYPES),
		)
	);
}
