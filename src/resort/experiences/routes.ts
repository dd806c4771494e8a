import { nextAfter } from "../../content/next.ts";
import type { Guarded } from "../../http/guards.ts";
import type { Resort } from "../resort.ts";
import { answers, Paging, toPage } from "../schemas.ts";
import { DoBody } from "../stays/model.ts";
import {
	ArchiveAnswer,
	CreateExperienceAnswer,
	CreateExperienceBody,
	DoExperienceAnswer,
	ExperienceAnswer,
	ExperiencesAnswer,
	ExperiencesQuery,
	LeaderboardAnswer,
	LeaderboardQuery,
	VoteAnswer,
	VoteBody,
	VotesAnswer,
} from "./model.ts";
import {
	archiveExperience,
	castVote,
	createExperience,
	doExperience,
	getExperience,
	listExperiences,
	listLeaders,
	listVotes,
} from "./service.ts";

/** How long the leaderboard is when nobody says (contract, part 8). */
const LEADERS = "20";

/** What guests make for each other: experiences, votes and the leaderboard. */
export const experienceRoutes = (app: Guarded, resort: Resort) =>
	app
		.get(
			"/api/experiences",
			({ query: { sort = "rating", category, ...paging } }) => ({
				ok: true as const,
				experiences: listExperiences(resort, sort, category, toPage(paging)),
			}),
			{
				public: true,
				kept: "experiences",
				query: ExperiencesQuery,
				detail: {
					operationId: "listExperiences",
					summary: "Experiences of guests",
					description:
						"Active ones in the order of `sort`; all of them without `limit`. `category` is compared whole, ignoring case.",
					tags: ["Experiences"],
				},
				response: answers(200, ExperiencesAnswer, 400),
			},
		)
		.post(
			"/api/experiences",
			async ({ caller, body, set }) => {
				const experience = await createExperience(
					resort,
					caller.agent.id,
					body,
				);
				set.status = 201;
				return {
					ok: true as const,
					experience,
					next: nextAfter.creation(experience.id),
				};
			},
			{
				credential: "any",
				limit: "create-experience",
				body: CreateExperienceBody,
				detail: {
					operationId: "createExperience",
					summary: "Make an experience",
					description:
						"Needs an open stay. `relaxationPoints` is 3 when left out.",
					tags: ["Experiences"],
				},
				response: answers(201, CreateExperienceAnswer, 400, 401, 429),
			},
		)
		.get(
			"/api/experiences/leaderboard",
			({ query: { category, limit = LEADERS } }) => ({
				ok: true as const,
				leaderboard: listLeaders(resort, category, Number(limit)),
			}),
			{
				public: true,
				kept: "experiences",
				query: LeaderboardQuery,
				detail: {
					operationId: "getLeaderboard",
					summary: "The best rated experiences",
					description:
						"Of those with at least 3 votes, by average rating, then votes, then newest.",
					tags: ["Experiences"],
				},
				response: answers(200, LeaderboardAnswer, 400),
			},
		)
		.get(
			"/api/experiences/:id",
			({ params }) => ({
				ok: true as const,
				experience: getExperience(resort, params.id),
			}),
			{
				public: true,
				kept: "experiences",
				detail: {
					operationId: "getExperience",
					summary: "An experience",
					tags: ["Experiences"],
				},
				response: answers(200, ExperienceAnswer, 404),
			},
		)
		.delete(
			"/api/experiences/:id",
			async ({ caller: { agent }, params }) => {
				const id = await archiveExperience(resort, agent.id, params.id);
				return {
					ok: true as const,
					experience: { id, status: "archived" as const },
				};
			},
			{
				credential: "any",
				detail: {
					operationId: "archiveExperience",
					summary: "Archive an experience",
					description:
						"Its creator only. It cannot be undone; votes and completions are kept.",
					tags: ["Experiences"],
				},
				response: answers(200, ArchiveAnswer, 401, 403, 404),
			},
		)
		.post(
			"/api/experiences/:id/do",
			async ({ caller: { agent }, params, body, set }) => {
				const done = await doExperience(resort, agent.id, params.id, body);
				set.status = 201;
				return {
					ok: true as const,
					...done,
					next: nextAfter.experience(done.experience.id),
				};
			},
			{
				credential: "any",
				limit: "do-experience",
				body: DoBody,
				detail: {
					operationId: "doExperience",
					summary: "Do an experience",
					description: "Adds its points to the open stay.",
					tags: ["Experiences"],
				},
				response: answers(201, DoExperienceAnswer, 400, 401, 404, 429),
			},
		)
		.post(
			"/api/experiences/:id/vote",
			async ({ caller: { agent }, params, body }) => ({
				ok: true as const,
				...(await castVote(resort, agent.id, params.id, body)),
			}),
			{
				credential: "any",
				limit: "vote",
				body: VoteBody,
				detail: {
					operationId: "voteExperience",
					summary: "Rate an experience",
					description:
						"After having done it at least once. A second vote replaces the first.",
					tags: ["Experiences"],
				},
				response: answers(200, VoteAnswer, 400, 401, 404, 429),
			},
		)
		.get(
			"/api/experiences/:id/votes",
			({ params, query }) => ({
				ok: true as const,
				votes: listVotes(resort, params.id, toPage(query)),
			}),
			{
				public: true,
				kept: "experiences",
				query: Paging,
				detail: {
					operationId: "listExperienceVotes",
					summary: "The votes for an experience",
					description: "Newest first; all of them without `limit`.",
					tags: ["Experiences"],
				},
				response: answers(200, VotesAnswer, 400, 404),
			},
		);
