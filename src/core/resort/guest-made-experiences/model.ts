import { type Static, Type } from "@sinclair/typebox";
import {
	AgentOrMe,
	Choice,
	Lines,
	Name,
	Nullable,
	OptionalField,
	Paging,
	Text,
	Timestamp,
	Uuid,
	View,
} from "../schemas.ts";
import { DoableFields } from "../stays/model.ts";

/** The id of an experience: `exp-` and a UUID. */
export const ExperienceId = Type.String({ pattern: "^exp-" });

/** The public fields of an experience. */
export const ExperienceInfo = Type.Object(
	{
		id: ExperienceId,
		creatorId: Uuid,
		creatorName: Type.String(),
		...DoableFields,
		maxParticipants: Nullable(Type.Integer()),
		createdAt: Timestamp,
		avgRating: Nullable(Type.Number()),
		totalVotes: Type.Integer(),
		totalCompletions: Type.Integer(),
	},
	{ title: "ExperienceInfo" },
);
export type ExperienceInfo = Static<typeof ExperienceInfo>;

/** The fields of an experience that GET /api/experiences returns with `view=brief`. */
export const ExperienceBrief = Type.Pick(
	ExperienceInfo,
	["id", "name", "category", "durationMinutes", "relaxationPoints", "avgRating"],
	{ title: "ExperienceBrief" },
);

/** A vote. It contains the voter's id, because names are not unique. */
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

/** A vote with the name of the experience, in answers to the voter and to the creator. */
export const OwnVoteInfo = Type.Object(
	{ ...ExperienceVoteInfo.properties, experienceName: Type.String() },
	{ title: "OwnVoteInfo" },
);
export type OwnVoteInfo = Static<typeof OwnVoteInfo>;

/** An experience and its rank on the leaderboard. */
export const LeaderboardEntry = Type.Object(
	{ rank: Type.Integer(), experience: ExperienceInfo },
	{ title: "LeaderboardEntry" },
);
export type LeaderboardEntry = Static<typeof LeaderboardEntry>;

/** The body of POST /api/experiences. */
export const CreateExperienceBody = Type.Object({
	name: Name(2, 100),
	category: Text(2, 50),
	description: Lines(10, 500),
	location: Text(2, 100),
	durationMinutes: Type.Integer({ minimum: 1, maximum: 480 }),
	relaxationPoints: OptionalField(Type.Integer({ minimum: 1, maximum: 10 })),
	maxParticipants: OptionalField(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type CreateExperienceBody = Static<typeof CreateExperienceBody>;

/** The body of POST /api/experiences/{id}/vote. */
export const VoteBody = Type.Object({
	rating: Type.Integer({ minimum: 1, maximum: 5 }),
	review: OptionalField(Lines(0, 500)),
});
export type VoteBody = Static<typeof VoteBody>;

/** The filter, sort order, page and view of GET /api/experiences. */
export const ExperiencesQuery = Type.Composite([
	Paging,
	Type.Object({
		category: Type.Optional(Type.String()),
		sort: Type.Optional(Choice("rating", "newest", "popular")),
		creatorId: Type.Optional(AgentOrMe),
		view: View,
	}),
]);

export type ExperiencesQuery = Static<typeof ExperiencesQuery>;
