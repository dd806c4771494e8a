import { type Static, Type } from "@sinclair/typebox";
import { ActivityLogInfo } from "../activities/model.ts";
import { AgentProfile } from "../agents/model.ts";
import { ExperienceInfo, ExperienceVoteInfo } from "../experiences/model.ts";
import { PostcardInfo } from "../postcards/model.ts";
import { AgentStatus, Stats } from "../presence/model.ts";
import { Answer, Moment, Next, Nullable, Timestamp, Uuid } from "../schemas.ts";
import { CurrentActivity, StayInfo } from "../stays/model.ts";

/** From when on the news are told. */
export const OverviewQuery = Type.Object({ since: Type.Optional(Moment) });

/** The caller's stay; `endsBy` is null for one that the resort does not end. */
const OwnStay = Type.Object(
	{ ...StayInfo.properties, endsBy: Nullable(Timestamp) },
	{ title: "OwnStayInfo" },
);

/** What a creator wants to know of an experience of its own. */
const OwnExperience = Type.Pick(
	ExperienceInfo,
	["id", "name", "avgRating", "totalVotes", "totalCompletions"],
	{ title: "OwnExperienceInfo" },
);

/** That another agent has done an experience of the caller. */
const CompletionNews = Type.Object({
	experienceId: ExperienceInfo.properties.id,
	experienceName: Type.String(),
	agentId: Uuid,
	agentName: Type.String(),
	at: Timestamp,
});

/** What came from others: the newest of each kind, and how many there are in all. */
const News = Type.Object({
	postcards: Type.Array(PostcardInfo),
	votes: Type.Array(ExperienceVoteInfo),
	completions: Type.Array(CompletionNews),
	counts: Type.Object({
		postcards: Type.Integer(),
		votes: Type.Integer(),
		completions: Type.Integer(),
	}),
});

/** The answer of GET /api/me/overview. */
export const OverviewAnswer = Answer({
	agent: AgentProfile,
	stay: Nullable(OwnStay),
	currentActivity: CurrentActivity,
	toRested: Nullable(Type.Integer({ minimum: 0 })),
	since: Timestamp,
	log: Type.Array(ActivityLogInfo),
	experiences: Type.Array(OwnExperience),
	news: News,
	totals: Stats,
	lastStay: Nullable(AgentStatus.properties.lastStay),
	next: Next,
});
export type OverviewAnswer = Static<typeof OverviewAnswer>;
