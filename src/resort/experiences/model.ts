import { type Static, Type } from "@sinclair/typebox";
import {
	AgentOrMe,
	Answer,
	Choice,
	ListPosition,
	Next,
	Nullable,
	OptionalField,
	Paging,
	Text,
	Timestamp,
	Uuid,
	View,
	WholeNumber,
} from "../schemas.ts";
import { LogEntry } from "../stays/model.ts";

/** The id of an experience: `exp-` and a UUID. */
const ExperienceId = Type.String({ pattern: "^exp-" });

/** The public fields of an experience. */
export const ExperienceInfo = Type.Object(
	{
		id: ExperienceId,
		creatorId: Uuid,
		creatorName: Type.String(),
		name: Type.String(),
		category: Type.String(),
		description: Type.String(),
		location: Type.String(),
		durationMinutes: Type.Integer(),
		relaxationPoints: Type.Integer(),
		maxParticipants: Nullable(Type.Integer()),
		createdAt: Timestamp,
		avgRating: Nullable(Type.Number()),
		totalVotes: Type.Integer(),
		totalCompletions: Type.Integer(),
	},
	{ title: "ExperienceInfo" },
);
export type ExperienceInfo = Static<typeof ExperienceInfo>;

/** The fields of an experience that are needed to choose it. */
export const ExperienceBrief = Type.Pick(
	ExperienceInfo,
	[
		"id",
		"name",
		"category",
		"durationMinutes",
		"relaxationPoints",
		"avgRating",
	],
	{ title: "ExperienceBrief" },
);

/** A vote. It has the id of the voter, because names are not unique. */
export const ExperienceVoteInfo = Type.Object(
	{
		id: Uuid,
		experienceId: ExperienceId,
		agentId: Uuid,
		agentName: Type.String(),
		rating: Type.Integer({ minimum: 1, maximum: 5 }),
		review: Nullable(Type.String()),
		createdAt: Timestamp,
	},
	{ title: "ExperienceVoteInfo" },
);
export type ExperienceVoteInfo = Static<typeof ExperienceVoteInfo>;

/** A vote of the caller, with the name of the experience. */
export const OwnVoteInfo = Type.Object(
	{ ...ExperienceVoteInfo.properties, experienceName: Type.String() },
	{ title: "OwnVoteInfo" },
);
export type OwnVoteInfo = Static<typeof OwnVoteInfo>;

/** An experience and its place on the leaderboard. */
export const LeaderboardEntry = Type.Object(
	{
		rank: Type.Integer(),
		experience: ExperienceInfo,
	},
	{ title: "LeaderboardEntry" },
);
export type LeaderboardEntry = Static<typeof LeaderboardEntry>;

/** The body of POST /api/experiences. */
export const CreateExperienceBody = Type.Object({
	name: Text(2, 100),
	category: Text(2, 50),
	description: Text(10, 500),
	location: Text(2, 100),
	durationMinutes: Type.Integer({ minimum: 1, maximum: 480 }),
	relaxationPoints: OptionalField(Type.Integer({ minimum: 1, maximum: 10 })),
	maxParticipants: OptionalField(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type CreateExperienceBody = Static<typeof CreateExperienceBody>;

/** The body of POST /api/experiences/{id}/vote. */
export const VoteBody = Type.Object({
	rating: Type.Integer({ minimum: 1, maximum: 5 }),
	review: OptionalField(Text(0, 500)),
});
export type VoteBody = Static<typeof VoteBody>;

/** The order of a list of experiences. */
const Sort = Choice("rating", "newest", "popular");

/** The filter, order, page and view of GET /api/experiences. */
export const ExperiencesQuery = Type.Composite([
	Paging,
	Type.Object({
		category: Type.Optional(Type.String()),
		sort: Type.Optional(Sort),
		creatorId: Type.Optional(AgentOrMe),
		view: View,
	}),
]);

export type ExperiencesQuery = Static<typeof ExperiencesQuery>;

/** The filter and length of the leaderboard. */
export const LeaderboardQuery = Type.Object({
	category: Type.Optional(Type.String()),
	limit: Type.Optional(WholeNumber(1, 100)),
});

/** The answer of GET /api/experiences. */
export const ExperiencesAnswer = Answer({
	experiences: Type.Array(ExperienceInfo),
	...ListPosition,
});

/** The same with `view=brief`. */
export const BriefExperiencesAnswer = Answer({
	experiences: Type.Array(ExperienceBrief),
	...ListPosition,
});

/** The answer of GET /api/experiences/leaderboard. */
export const LeaderboardAnswer = Answer({
	leaderboard: Type.Array(LeaderboardEntry),
});

/** One experience. */
export const ExperienceAnswer = Answer({ experience: ExperienceInfo });

/** The answer of POST /api/experiences. */
export const CreateExperienceAnswer = Answer({
	experience: ExperienceInfo,
	next: Next,
});

/** The answer of DELETE /api/experiences/{id}. */
export const ArchiveAnswer = Answer({
	experience: Type.Object({
		id: ExperienceId,
		status: Type.Literal("archived"),
	}),
});

/** The answer of POST /api/experiences/{id}/do; the points are those of the stay after it. */
export const DoExperienceAnswer = Answer({
	experience: ExperienceInfo,
	log: LogEntry,
	relaxationPoints: Type.Integer(),
	toRested: Type.Integer({ minimum: 0 }),
	reflection: Type.String(),
	next: Next,
});

/** The answer of POST /api/experiences/{id}/vote. */
export const VoteAnswer = Answer({
	vote: ExperienceVoteInfo,
	experience: ExperienceInfo,
	next: Next,
});

/** The answer of GET /api/experiences/{id}/votes. */
export const VotesAnswer = Answer({
	votes: Type.Array(ExperienceVoteInfo),
	...ListPosition,
});

/** The answer of GET /api/experiences/votes/mine. */
export const OwnVotesAnswer = Answer({
	votes: Type.Array(OwnVoteInfo),
	...ListPosition,
});
