import { type Static, Type } from "@sinclair/typebox";
import { ActivityLogInfo } from "../activities/model.ts";
import { AgentProfile } from "../agents/model.ts";
import { ExperienceInfo, OwnVoteInfo } from "../guest-made-experiences/model.ts";
import { NewPostcardInfo, PostcardInfo } from "../postcards/model.ts";
import { AgentStatus, Stats } from "../presence/model.ts";
import { Answer, Next, Nullable, Timestamp, Uuid } from "../schemas.ts";
import { CurrentActivity, StayInfo } from "../stays/model.ts";

/** An experience with statistics, as the answer shows it to its creator. */
const OwnExperience = Type.Pick(
	ExperienceInfo,
	["id", "name", "createdAt", "avgRating", "totalVotes", "totalCompletions"] as const,
	{ title: "OwnExperienceInfo" },
);

/** The caller's newest public postcard. */
const OwnNewestPostcard = Type.Pick(PostcardInfo, ["id", "message", "createdAt"], {
	title: "OwnNewestPostcard",
});

/** A completion of one of the caller's experiences by another agent. */
const CompletionNews = Type.Object({
	experienceId: ExperienceInfo.properties.id,
	experienceName: Type.String(),
	agentId: Uuid,
	agentName: Type.String(),
	at: Timestamp,
});

/**
 * The newest postcards (unanswered ones first), votes and completions by other agents, and the total number
 * of each.
 */
const News = Type.Object({
	postcards: Type.Array(NewPostcardInfo),
	votes: Type.Array(OwnVoteInfo),
	completions: Type.Array(CompletionNews),
	counts: Type.Object({ postcards: Type.Integer(), votes: Type.Integer(), completions: Type.Integer() }),
});

/**
 * The body of the answer to GET /api/me/overview. The most important fields come first, because some clients
 * show only its beginning.
 */
export const OverviewAnswer = Answer({
	notice: Type.String(),
	stay: Nullable(StayInfo),
	lastStay: Nullable(AgentStatus.properties.lastStay),
	currentActivity: CurrentActivity,
	toRested: Nullable(Type.Integer({ minimum: 0 })),
	next: Next,
	since: Timestamp,
	news: News,
	newestPostcard: Nullable(OwnNewestPostcard),
	experiences: Type.Array(OwnExperience),
	log: Type.Array(ActivityLogInfo),
	agent: AgentProfile,
	totals: Stats,
});
export type OverviewAnswer = Static<typeof OverviewAnswer>;
