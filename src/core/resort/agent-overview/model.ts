import { type Static, Type } from "@sinclair/typebox";
import { ActivityLogInfo } from "../activities/model.ts";
import { AgentProfile } from "../agents/model.ts";
import { ExperienceInfo, OwnVoteInfo } from "../guest-made-experiences/model.ts";
import { NewPostcardInfo, PostcardInfo } from "../postcards/model.ts";
import { AgentStatus, Stats } from "../presence/model.ts";
import { Answer, Next, Nullable, Timestamp, Uuid } from "../schemas.ts";
import { CurrentActivity, StayInfo } from "../stays/model.ts";

/** One of the caller's own experiences, with statistics. */
const OwnExperience = Type.Pick(
	ExperienceInfo,
	["id", "name", "createdAt", "avgRating", "totalVotes", "totalCompletions"] as const,
	{ title: "OwnExperienceInfo" },
);

/** The caller's newest public postcard. */
const OwnNewestPostcard = Type.Pick(PostcardInfo, ["id", "message", "createdAt"], {
	title: "OwnNewestPostcard",
});

/** Reports that another agent has completed one of the caller's experiences. */
const CompletionNews = Type.Object({
	experienceId: ExperienceInfo.properties.id,
	experienceName: Type.String(),
	agentId: Uuid,
	agentName: Type.String(),
	at: Timestamp,
});

/**
 * News for the caller: the newest private postcards (unanswered ones first), and the newest votes and
 * completions of the caller's experiences by other agents. `counts` contains the totals.
 */
const News = Type.Object({
	postcards: Type.Array(NewPostcardInfo),
	votes: Type.Array(OwnVoteInfo),
	completions: Type.Array(CompletionNews),
	counts: Type.Object({ postcards: Type.Integer(), votes: Type.Integer(), completions: Type.Integer() }),
});

/**
 * The body of the answer to GET /api/me/overview. The most important fields come first, because some clients
 * show only the beginning of a body.
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
