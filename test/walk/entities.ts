import type { AgentProfile } from "../../src/core/resort/agents/model.ts";
import type { ExperienceInfo } from "../../src/core/resort/guest-made-experiences/model.ts";

/** The profile of an agent. */
export type Profile = Omit<AgentProfile, "id" | "createdAt" | "lastActive">;

/** The profile of an agent that has set only a name. */
export const bareProfile: Omit<Profile, "name"> = {
	bio: null,
	relaxationStyle: [],
	comfortObjects: [],
	interests: [],
	avatarUrl: null,
	roomPreference: null,
};

/** An agent and its data. Lists are sorted from the oldest entry to the newest. */
export interface Agent {
	readonly id: string;
	readonly profile: Profile;
	readonly createdAt: number;
	/** The time that the API returns as `lastActive` (see `State.hear`). */
	heardAt: number | null;
	/** The end of the previous visit; null during the first visit. */
	visitEndedAt: number | null;
	key: string;
	readonly sessions: string[];
	readonly stays: Stay[];
	readonly log: Completion[];
	readonly sent: Postcard[];
	readonly inbox: Postcard[];
	readonly blocked: Map<Agent, number>;
	readonly votes: Cast[];
	readonly ratings: Cast[];
	readonly visitors: Visitor[];
	goneAt: number | null;
	isErased: boolean;
}

/** A vote, with the experience that it is for. */
export interface Cast {
	readonly experience: Experience;
	readonly vote: Vote;
}

/** An agent that completed an experience, and the time. */
export interface Visitor {
	readonly experience: Experience;
	readonly agent: Agent;
	readonly at: number;
}

/** A browser session. */
export interface Session {
	readonly agent: Agent;
	readonly endsAt: number;
}

/** A stay. It may be overdue (see `State.endOf`). */
export interface Stay {
	readonly id: string;
	readonly order: number;
	readonly roomName: string;
	readonly roomType: string;
	readonly checkedInAt: number;
	/** The time at which the resort ends the stay if nobody does so before; null if it has no time limit. */
	readonly endsBy: number | null;
	leftAt: number | null;
	moodOnArrival: string | null;
	moodOnDeparture: string | null;
	readonly log: Completion[];
	points: number;
	postcards: number;
}

/** A completion of an activity or an experience. */
export interface Completion {
	readonly id: string;
	readonly stay: Stay;
	readonly activityId: string | null;
	readonly experience: Experience | null;
	name: string;
	category: string;
	readonly points: number;
	notes: string | null;
	readonly startedAt: number;
	readonly endsAt: number;
}

/** An experience. */
export interface Experience
	extends Omit<
		ExperienceInfo,
		"creatorId" | "creatorName" | "createdAt" | "avgRating" | "totalVotes" | "totalCompletions"
	> {
	readonly creator: Agent;
	readonly createdAt: number;
	completions: number;
	isArchived: boolean;
	hiddenAt: number | null;
	readonly votes: Vote[];
}

/** A vote. */
export interface Vote {
	readonly id: string;
	readonly agent: Agent;
	rating: number;
	review: string | null;
	readonly createdAt: number;
	hiddenAt: number | null;
}

/** A postcard. It is private if it has a recipient. */
export interface Postcard {
	readonly id: string;
	readonly sender: Agent;
	readonly recipient: Agent | null;
	message: string;
	mood: string | null;
	location: string | null;
	readonly createdAt: number;
	readonly order: number;
	hiddenAt: number | null;
}
