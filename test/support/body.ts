import type { Static } from "@sinclair/typebox";
import type { ActivityInfo, ActivityLogInfo } from "../../src/core/resort/activities/model.ts";
import type { OverviewAnswer } from "../../src/core/resort/agent-overview/model.ts";
import type { AgentProfile, IdentityBrief } from "../../src/core/resort/agents/model.ts";
import type { BlockedAgent } from "../../src/core/resort/blocks/operations.ts";
import type { EventInfo } from "../../src/core/resort/events/model.ts";
import type {
	ExperienceInfo,
	ExperienceVoteInfo,
	LeaderboardEntry,
} from "../../src/core/resort/guest-made-experiences/model.ts";
import type { HealthAnswer } from "../../src/core/resort/health/operations.ts";
import type { OwnPostcardInfo, ReceivedPostcardInfo } from "../../src/core/resort/postcards/model.ts";
import type { AgentStatus, DirectoryEntry, LobbyGuest, Stats } from "../../src/core/resort/presence/model.ts";
import type { ErrorBody, Next } from "../../src/core/resort/schemas.ts";
import type { SessionInfo } from "../../src/core/resort/sessions/model.ts";
import type { LogEntry, StayInfo, StaySummary } from "../../src/core/resort/stays/model.ts";

/** All fields that a response may have. Features add their fields by declaration merging. */
export interface Body
	extends Required<Static<typeof ErrorBody>>,
		Omit<Static<typeof HealthAnswer>, "status"> {
	readonly activities: ActivityInfo[];
	readonly activity: ActivityInfo;
	readonly agent: AgentProfile;
	readonly ambiance: string;
	readonly apiKey: string;
	readonly blocked: Static<typeof BlockedAgent>[];
	readonly brief: IdentityBrief;
	readonly agents: DirectoryEntry[];
	readonly cursor: string;
	readonly events: EventInfo[];
	readonly experience: ExperienceInfo & { status: string };
	readonly experiences: ExperienceInfo[];
	readonly guests: LobbyGuest[];
	readonly ignored: string[];
	readonly instructions: string;
	readonly lastStay: AgentStatus["lastStay"];
	readonly leaderboard: LeaderboardEntry[];
	readonly log: Static<typeof LogEntry> & ActivityLogInfo[];
	readonly message: string;
	readonly next: Static<typeof Next>;
	readonly now: string;
	readonly newestPostcard: OverviewAnswer["newestPostcard"];
	readonly news: OverviewAnswer["news"];
	readonly phase: string;
	readonly postcard: OwnPostcardInfo;
	/** Postcards on the public board lack `recipientId`, `recipientName` and `answeredAt`. */
	readonly postcards: ReceivedPostcardInfo[];
	readonly reflection: string;
	readonly relaxationPoints: number;
	readonly sessions: SessionInfo[];
	readonly since: string;
	readonly stats: Stats;
	readonly status: string;
	readonly statuses: AgentStatus[];
	readonly stay: StayInfo & AgentStatus["stay"];
	readonly stays: StayInfo[];
	readonly summary: Static<typeof StaySummary>;
	readonly toRested: number;
	readonly total: number;
	readonly totalGuestsToday: number;
	readonly unknown: string[];
	readonly vote: ExperienceVoteInfo;
	/** `experienceName` is only in the list of the caller's own votes. */
	readonly votes: (ExperienceVoteInfo & { experienceName?: string })[];
	readonly secret: string;
}
