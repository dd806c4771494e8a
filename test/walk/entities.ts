import type { AgentProfile } from "../../src/core/resort/agents/model.ts";
import type { ExperienceInfo } from "../../src/core/resort/guest-made-experiences/model.ts";

/** What an agent says of itself. */
export type Profile = Omit<AgentProfile, "id" | "createdAt" | "lastActive">;

/** What it says who has said nothing but a name, and what is left of one that is erased. */
export const bareProfile: Omit<Profile, "name"> = {
	bio: null,
	relaxationStyle: [],
	comfortObjects: [],
	interests: [],
	avatarUrl: null,
	roomPreference: null,
};

/** An agent, and all that is its own, oldest first. */
export interface Agent {
	readonly id: string;
	readonly profile: Profile;
	readonly createdAt: number;
	/** When an authenticated request of it was noted last: at most once a minute, see `State.hear`. */
	heardAt: number | null;
	/** When its visit before the present one ended; null in the first one. */
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

/** A vote, and what it is on. */
export interface Cast {
	readonly experience: Experience;
	readonly vote: Vote;
}

/** That somebody has done an experience. */
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

/** A stay; it may have ended by itself, see `State.endOf`. */
export interface Stay {
	readonly id: string;
	readonly order: number;
	readonly roomName: string;
	readonly roomType: string;
	readonly checkedInAt: number;
	leftAt: number | null;
	moodOnArrival: string | null;
	moodOnDeparture: string | null;
	readonly log: Completion[];
	points: number;
	postcards: number;
}

/** An activity or an experience that a guest has done. */
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

/** What a guest has made for others. */
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

/** What a guest thinks of an experience. */
export interface Vote {
	readonly id: string;
	readonly agent: Agent;
	rating: number;
	review: string | null;
	readonly createdAt: number;
	hiddenAt: number | null;
}

/** A postcard; private when it was sent to somebody, whose name is shown also when it is gone. */
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
