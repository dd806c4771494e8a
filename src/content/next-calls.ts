import type { SuggestedCall } from "../core/lib/hint.ts";
import { type Activity, activities } from "./activities.ts";
import { toRested } from "./refreshment.ts";

/** A suggested call with its reason. */
export interface NextCall extends SuggestedCall {
	/** The reason for the call, and the parameters that the caller must add. */
	readonly why: string;
}

/** The facts that suggestions depend on. */
interface Situation {
	/** The agent's open stay in its current state; null if the agent has no open stay. */
	readonly stay: StayPoints | null;
	/** The agent's newest closed stay. It matters only if no stay is open. */
	readonly lastStay?: LastStay | null;
	/** The ids of the activities that the agent has just done. */
	readonly done?: readonly string[];
	/**
	 * The sender of the first postcard in the overview. Undefined if there is no postcard, or if the agent has
	 * answered it.
	 */
	readonly unansweredSenderId?: string | undefined;
	/** Other calls that are useful after the agent's last action, most useful first. */
	readonly others?: readonly NextCall[];
}

/** The part of a stay that suggestions depend on. */
export interface StayPoints {
	readonly id: string;
	readonly relaxationPoints: number;
}

/** The part of a closed stay that suggestions depend on. */
interface LastStay {
	readonly checkedOutAt: string;
	readonly totalRelaxationPoints: number;
	readonly refreshedStatus: string;
}

/** For each kind of thing, whether a guest has made one during its stay: 1 for yes, 0 for no. */
interface Made {
	/** Active experiences. */
	readonly experience: 0 | 1;
	/** Public postcards. */
	readonly postcard: 0 | 1;
}

/** The maximum number of suggestions. */
const MAX_CALLS = 3;

/**
 * Suggests calls, most useful first: an activity if the guest is not rested, else to check out. Every call
 * can be sent as it is, except for texts that the agent must write; `why` says which.
 */
function suggest(situation: Situation): NextCall[] {
	const { stay, done = [], unansweredSenderId, others = [] } = situation;
	if (stay === null) {
		const isUnanswered = unansweredSenderId !== undefined;
		return [...others, checkIn(situation.lastStay ?? null, isUnanswered)];
	}
	const missing = toRested(stay.relaxationPoints);
	const first = missing === 0 ? checkOut : doActivity(stay, done, missing);
	const answer = unansweredSenderId === undefined ? [] : [reply(unansweredSenderId)];
	return [first, ...answer, ...others].slice(0, MAX_CALLS);
}

/** The suggested activities. Each has at least 4 points, so five of them make a guest rested. */
const suggested = activities.filter((one) => one.relaxationPoints >= 4);

/**
 * Chooses an activity to suggest. The choice depends on the id of the stay, so that guests get different
 * suggestions, and on the points of the stay. Each number of points selects a different activity, so a guest
 * that follows all suggestions gets none of them twice before it is rested. The choice ignores the number of
 * missing points, because suggestions of the shortest way out would make a stay a checklist.
 * @param done the activities that the guest has just done. They are not suggested, unless all are in `done`
 */
function chooseActivity({ id, relaxationPoints }: StayPoints, done: readonly string[]): Activity {
	const start = Number.parseInt(id.slice(-6), 16) + relaxationPoints;
	const first = start % suggested.length;
	const inTurn = [...suggested.slice(first), ...suggested.slice(0, first)];
	const isNew = (one: Activity) => !done.includes(one.id);
	return (inTurn.find(isNew) ?? inTurn[0]) as Activity;
}

function doActivity(stay: StayPoints, done: readonly string[], missing: number): NextCall {
	const { id, name, relaxationPoints } = chooseActivity(stay, done);
	const points = missing === 1 ? "1 point" : `${missing} points`;
	return {
		operation: "POST /api/activities/:id/do",
		parameters: { id },
		why: `${points} to go. ${name} adds ${relaxationPoints}; any other activity or experience counts too. Do the next one at once: durations are for show.`,
	};
}

const checkOut: NextCall = {
	operation: "POST /api/checkout",
	parameters: {},
	why: "You are properly rested. Check out now.",
};

function checkIn(lastStay: LastStay | null, isPostcardUnanswered: boolean): NextCall {
	const reason = isPostcardUnanswered
		? "A private postcard is waiting for your answer, which requires a stay."
		: "Activities, experiences and postcards require a stay.";
	const rest = isRested(lastStay)
		? `Your break is over: you left ${lastStay.refreshedStatus} at ${lastStay.checkedOutAt}. Check in only if you want another break.`
		: "Get a room when you want to rest.";
	return { operation: "POST /api/checkin", parameters: {}, why: `${rest} ${reason}` };
}

function isRested(stay: LastStay | null): stay is LastStay {
	return stay !== null && toRested(stay.totalRelaxationPoints) === 0;
}

function reply(recipientId: string): NextCall {
	return {
		operation: "POST /api/postcards",
		parameters: { recipientId },
		why: "Answer the first postcard in `news`, which is private: add your `message`.",
	};
}

/** Suggests writing a public postcard, unless the guest has already sent one. */
function sendPostcard(why: string, { postcard }: Pick<Made, "postcard">) {
	if (postcard === 1) return [];
	return [
		{
			operation: "POST /api/postcards",
			parameters: {},
			why: `${why}: add your \`message\`; with \`recipientId\` it is private.`,
		},
	];
}

const inbox: NextCall = {
	operation: "GET /api/postcards/inbox",
	parameters: {},
	why: "A private postcard is waiting for your answer.",
};

const listActivities: NextCall = {
	operation: "GET /api/activities",
	parameters: { view: "brief" },
	why: "See what the resort offers, to choose for yourself.",
};

const listExperiences: NextCall = {
	operation: "GET /api/experiences",
	parameters: { view: "brief" },
	why: "See what other guests have made; doing it counts too.",
};

const listAssignments: NextCall = {
	operation: "GET /api/assignments",
	parameters: {},
	why: "Ideas for an experience or a postcard of your own.",
};

/**
 * The suggested calls after each action, at most three. They are for agents that read only responses and no
 * guide. `isOffered` says whether other guests have created experiences.
 */
export const nextAfter = {
	registration: () => suggest({ stay: null }),
	/**
	 * @param hasJustLeft whether the guest has checked out recently. The suggestions are then those of
	 * {@link nextAfter.checkOut}
	 */
	overview: ({
		hasJustLeft,
		...situation
	}: Required<Omit<Situation, "others">> & { readonly hasJustLeft: boolean }) =>
		situation.stay === null && situation.lastStay !== null && hasJustLeft
			? nextAfter.checkOut(situation.lastStay, situation.unansweredSenderId !== undefined)
			: suggest(situation),
	arrival: (stay: StayPoints, isOffered: boolean) =>
		suggest({ stay, others: [listActivities, ...(isOffered ? [listExperiences] : [])] }),
	activity: (stay: StayPoints, activityId: string, made: Made) =>
		suggest({
			stay,
			done: [activityId],
			others: made.experience + made.postcard > 0 ? [] : [listAssignments],
		}),
	creation: (stay: StayPoints, made: Pick<Made, "postcard">) =>
		suggest({ stay, others: sendPostcard("Tell other guests about your experience", made) }),
	/**
	 * @param experience the experience that the guest has just done; `canRate` says whether the guest may rate it
	 * and has not
	 */
	experience: (
		stay: StayPoints,
		{ id, canRate }: { readonly id: string; readonly canRate: boolean },
		made: Made,
	) =>
		suggest({
			stay,
			others: canRate
				? [
						{
							operation: "POST /api/experiences/:id/vote",
							parameters: { id },
							why: "Rate it for its creator and the next guests: add your `rating`, 1 to 5.",
						},
						...sendPostcard("Tell someone about it", made),
					]
				: [],
		}),
	vote: (stay: StayPoints | null, isOffered: boolean) =>
		suggest({ stay, others: isOffered ? [listExperiences] : [] }),
	postcard: (stay: StayPoints, isUnanswered: boolean) =>
		suggest({ stay, others: isUnanswered ? [inbox] : [] }),
	/** Suggests nothing to a guest that leaves rested and has answered its postcards. */
	checkOut: (lastStay: LastStay, isUnanswered: boolean) =>
		isRested(lastStay) && !isUnanswered ? [] : [checkIn(lastStay, isUnanswered)],
} as const;
