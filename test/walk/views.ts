import { pick } from "../../src/core/lib/record.ts";
import type { ActivityInfo } from "../../src/core/resort/activities/model.ts";
import { iso } from "../support/values.ts";
import type { Agent, Completion, Experience, Postcard, Stay, Vote } from "./entities.ts";
import { words } from "./expected.ts";
import type { State } from "./state.ts";

/** Returns a timestamp; null for null. */
function isoOrNull(timeMs: number | null): string | null {
	return timeMs === null ? null : iso(timeMs);
}

/** Replaces the name of a hidden experience. */
export const HIDDEN = "(hidden)";

/** Returns an agent as `AgentProfile` in the contract. */
export function profileView(agent: Agent) {
	return {
		id: agent.id,
		...agent.profile,
		createdAt: iso(agent.createdAt),
		lastActive: isoOrNull(agent.heardAt),
	};
}

/** Returns a stay as `StayInfo` in the contract. */
export function stayView(state: State, stay: Stay) {
	const endedAt = state.endOf(stay);
	return {
		...pick(stay, ["id", "roomName", "roomType", "moodOnArrival", "moodOnDeparture"]),
		checkedInAt: iso(stay.checkedInAt),
		checkedOutAt: isoOrNull(endedAt),
		endsBy: endedAt === null ? isoOrNull(stay.endsBy) : null,
		relaxationPoints: stay.points,
		status: endedAt === null ? "checked_in" : "checked_out",
	};
}

/** Returns a completion as `ActivityLogInfo` in the contract. */
export function completionView(done: Completion) {
	return {
		...pick(done, ["id", "activityId", "notes"]),
		stayId: done.stay.id,
		experienceId: done.experience?.id ?? null,
		activityName: done.name,
		activityCategory: done.category,
		startedAt: iso(done.startedAt),
		relaxationPoints: done.points,
	};
}

/** Returns the field `currentActivity` of `LobbyGuest` and `AgentStatus`. */
export function currentView(state: State, stay: Stay) {
	const current = state.currentCompletion(stay);
	return current
		? {
				name: current.experience?.hiddenAt == null ? current.name : HIDDEN,
				startedAt: iso(current.startedAt),
				endsAt: iso(current.endsAt),
			}
		: null;
}

/** Returns an experience as `ExperienceInfo` in the contract. */
export function experienceView(experience: Experience) {
	const { creator, votes, completions, createdAt, isArchived: _, hiddenAt: __, ...told } = experience;
	return {
		...told,
		creatorId: creator.id,
		creatorName: creator.profile.name,
		createdAt: iso(createdAt),
		avgRating: votes.length === 0 ? null : Math.round((100 * ratingSum(experience)) / votes.length) / 100,
		totalVotes: votes.length,
		totalCompletions: completions,
	};
}

type Brief = Pick<ActivityInfo, "id" | "name" | "category" | "durationMinutes" | "relaxationPoints">;

/** Returns the fields of an activity or experience that are shown with `view=brief`. */
export function briefView(one: Brief): Brief {
	return pick(one, ["id", "name", "category", "durationMinutes", "relaxationPoints"]);
}

/** Returns the sum of all ratings of an experience. */
export function ratingSum({ votes }: Experience): number {
	return votes.reduce((sum, { rating }) => sum + rating, 0);
}

/** Returns a vote as `ExperienceVoteInfo` in the contract. A review that the operator has hidden is null. */
export function voteView(experience: Experience, vote: Vote) {
	const { hiddenAt, review } = vote;
	return { ...ownVoteView(experience, vote), review: hiddenAt === null ? review : null };
}

/** Returns a vote as `ExperienceVoteInfo` for the voter, with the review even if it is hidden. */
export function ownVoteView({ id: experienceId }: Experience, vote: Vote) {
	return {
		...pick(vote, ["id", "rating", "review"]),
		experienceId,
		agentId: vote.agent.id,
		agentName: vote.agent.profile.name,
		createdAt: iso(vote.createdAt),
	};
}

/** Returns a postcard as its sender and its recipient see it. */
export function ownPostcardView(postcard: Postcard) {
	return {
		...postcardView(postcard),
		recipientId: postcard.recipient?.id ?? null,
		recipientName: postcard.recipient?.profile.name ?? null,
	};
}

/** Returns a postcard as `PostcardInfo` in the contract. */
export function postcardView(postcard: Postcard) {
	const { sender, recipient, createdAt } = postcard;
	return {
		...pick(postcard, ["id", "message", "mood", "location"]),
		senderName: sender.profile.name,
		senderId: sender.id,
		visibility: recipient ? "private" : "public",
		createdAt: iso(createdAt),
	};
}

/** Returns a guest as `LobbyGuest` in the contract. */
export function guestView(state: State, { id, profile }: Agent, stay: Stay) {
	return {
		id,
		name: profile.name,
		bio: profile.bio,
		room: { name: stay.roomName, type: stay.roomType },
		checkedInAt: iso(stay.checkedInAt),
		relaxationPoints: stay.points,
		currentActivity: currentView(state, stay),
	};
}

/** Returns the status of an agent as `AgentStatus` in the contract. */
export function statusView(state: State, agent: Agent) {
	const told = { ok: true, agent: { id: agent.id, name: agent.profile.name }, message: words };
	const newest = agent.stays.at(-1);
	if (newest === undefined) return { ...told, status: "available", since: iso(agent.createdAt) };
	const endedAt = state.endOf(newest);
	if (endedAt !== null) {
		const lastStay = lastStayView(endedAt, newest.points);
		return { ...told, status: "available", since: iso(endedAt), lastStay };
	}
	const stay = {
		...pick(newest, ["roomName", "roomType"]),
		checkedInAt: iso(newest.checkedInAt),
		endsBy: isoOrNull(newest.endsBy),
		currentActivity: currentView(state, newest),
		relaxationPoints: newest.points,
	};
	return { ...told, status: "relaxing", since: stay.checkedInAt, stay };
}

/** Returns the statistics of an agent as `Stats` in the contract. */
export function statsView({ stays, log, sent }: Agent) {
	return {
		totalStays: stays.length,
		totalRelaxationPoints: log.reduce((sum, { points }) => sum + points, 0),
		totalActivitiesCompleted: log.length,
		totalPostcardsSent: sent.length,
	};
}

/** Returns the field `lastStay` of `AgentStatus`. */
export function lastStayView(checkedOutAt: number, points: number) {
	return { checkedOutAt: iso(checkedOutAt), totalRelaxationPoints: points, refreshedStatus: words };
}

/** Returns the private postcards that an agent sees, oldest first. */
export function received({ inbox, blocked }: Agent): Postcard[] {
	return inbox.filter((postcard) => isShown(postcard) && !blocked.has(postcard.sender));
}

/**
 * Returns the time at which the recipient of a private postcard first wrote to its sender after receiving it.
 */
export function answered({ sender, recipient, order, createdAt }: Postcard) {
	const answers = (recipient?.sent ?? []).filter(
		(one) => one.recipient === sender && one.order > order && one.createdAt >= createdAt,
	);
	const first = Math.min(...answers.map((one) => one.createdAt));
	return { answeredAt: answers.length === 0 ? null : iso(first) };
}

/** Whether a postcard is not hidden by the operator. */
export function isShown({ hiddenAt }: Postcard): boolean {
	return hiddenAt === null;
}
