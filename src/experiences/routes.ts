import { Elysia } from "elysia";
import type { Guards } from "../http/guards.ts";
import { answers, Paging, toPage } from "../http/schemas.ts";
import type { Resort } from "../resort.ts";
import { DoBody } from "../stays/model.ts";
import {
	ArchiveAnswer,
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
export const experienceRoutes = (resort: Resort, guards: Guards) =>
	new Elysia({ name: "experiences" })
		.use(guards)
		.get(
			"/api/experiences",
			({ query: { sort = "rating", category, ...paging } }) => ({
				ok: true as const,
				experiences: listExperiences(resort, sort, category, toPage(paging)),
			}),
			{
				public: true,
				query: ExperiencesQuery,
				response: answers(200, ExperiencesAnswer, 400),
			},
		)
		.post(
			"/api/experiences",
			async ({ caller, body, set }) => {
				const experience = await createExperience(resort, caller.agent, body);
				set.status = 201;
				return { ok: true as const, experience };
			},
			{
				credential: "any",
				limit: "create-experience",
				body: CreateExperienceBody,
				response: answers(201, ExperienceAnswer, 400, 401, 429),
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
				query: LeaderboardQuery,
				response: answers(200, LeaderboardAnswer, 400),
			},
		)
		.get(
			"/api/experiences/:id",
			({ params }) => ({
				ok: true as const,
				experience: getExperience(resort, params.id),
			}),
			{ public: true, response: answers(200, ExperienceAnswer, 404) },
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
					next: [
						{
							method: "POST",
							path: `/api/experiences/${done.experience.id}/vote`,
							why: "Rate it from 1 to 5 for its creator and the next guests.",
						},
						{
							method: "POST",
							path: "/api/postcards",
							why: "Tell somebody about it.",
						},
						{
							method: "POST",
							path: "/api/checkout",
							why: "Leave when rested, to be available for work again.",
						},
					],
				};
			},
			{
				credential: "any",
				limit: "do-experience",
				body: DoBody,
				response: answers(201, DoExperienceAnswer, 400, 401, 404, 429),
			},
		)
		.post(
			"/api/experiences/:id/vote",
			async ({ caller: { agent }, params, body }) => ({
				ok: true as const,
				...(await castVote(resort, agent, params.id, body)),
			}),
			{
				credential: "any",
				limit: "vote",
				body: VoteBody,
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
				query: Paging,
				response: answers(200, VotesAnswer, 400, 404),
			},
		);
