import { Type } from "@sinclair/typebox";
import { nextAfter } from "../../../content/next-calls.ts";
import { toRested } from "../../../content/refreshment.ts";
import { HOUR_MS } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import { publish } from "../events/publish.ts";
import { firstOf, listPosition, ownList, readPage } from "../lists.ts";
import { operation } from "../operation.ts";
import {
	Answer,
	ListAnswer,
	Next,
	Nullable,
	Paging,
	toPage,
	WholeNumber,
	withShortForm,
} from "../schemas.ts";
import { DoBody, doneAnswers, ToRested } from "../stays/model.ts";
import { madeInStay } from "../stays/queries.ts";
import {
	CreateExperienceBody,
	ExperienceBrief,
	ExperienceId,
	ExperienceInfo,
	ExperiencesQuery,
	ExperienceVoteInfo,
	LeaderboardEntry,
	OwnVoteInfo,
	VoteBody,
} from "./model.ts";
import {
	categoryKey,
	leaderboards,
	setArchived,
	voteOf,
	votesOfAgent,
	votesOfExperience,
} from "./queries.ts";
import {
	createExperience,
	doExperience,
	getActiveExperience,
	isOffered,
	listExperiences,
	toInfo,
} from "./service.ts";
import { castVote, toOwnVote, toVoteInfo } from "./votes.ts";

/** The default length of the leaderboard. */
const LEADERS = 20;

/** The events that change public fields of experiences. */
const listEvents = [
	"experience.created",
	"experience.archived",
	"experience.rated",
	"agent.did",
	"agent.changed",
] as const;

const PATH = "/api/experiences";

/** The operations for experiences, votes and the leaderboard. */
export const experienceOperations = [
	operation(`GET ${PATH}`, {
		id: "listExperiences",
		summary: "Guests' experiences",
		description:
			"Active experiences, ordered by `sort`; at most 1,000 without `limit`. `category` must " +
			"match exactly, ignoring case. `creatorId=me` lists the caller's own. `view=brief` returns " +
			"only what is needed to choose.",
		credential: "own",
		query: ExperiencesQuery,
		answers: { 200: ListAnswer("experiences", ExperienceInfo) },
		views: { brief: ListAnswer("experiences", ExperienceBrief) },
		invalidatedBy: listEvents,
		*read({ context, caller, query }) {
			const selected = caller === null ? query : { ...query, creatorId: caller.agent.id };
			const page = yield* listExperiences(context, selected, caller !== null);
			return { experiences: page.entries.map(toInfo), ...listPosition(PATH, page, query) };
		},
	}),
	operation("POST /api/experiences", {
		id: "createExperience",
		summary: "Create an experience",
		description: "Requires an open stay. `relaxationPoints` defaults to 3.",
		limit: { name: "create-experience", limit: 5, windowMs: HOUR_MS, key: "agent" },
		adds: true,
		body: CreateExperienceBody,
		...withShortForm(201, { experience: ExperienceInfo }, { toRested: ToRested, next: Next }),
		*write({ context, caller, body }) {
			const { experience, stay } = yield* createExperience(context, caller.agent.id, body);
			const made = requireRow(yield* madeInStay(context.store).get({ seq: stay.seq }));
			return { experience, toRested: toRested(stay.relaxationPoints), next: nextAfter.creation(stay, made) };
		},
	}),
	operation("GET /api/experiences/leaderboard", {
		id: "getLeaderboard",
		summary: "The best rated experiences",
		description:
			"Experiences with at least 3 votes, ordered by average rating, then number of votes, then newest first.",
		credential: "none",
		query: Type.Object({ category: Type.Optional(Type.String()), limit: Type.Optional(WholeNumber(1, 100)) }),
		answers: { 200: Answer({ leaderboard: Type.Array(LeaderboardEntry) }) },
		invalidatedBy: listEvents,
		*read({ context, query: { category = "", limit = LEADERS } }) {
			const key = categoryKey(category);
			const list = key === "" ? leaderboards.all : leaderboards.category;
			const values = { category: key };
			const leaders = yield* firstOf(context.store, list, { values, limit });
			const leaderboard = leaders.map((row, at) => ({ rank: at + 1, experience: toInfo(row) }));
			return { leaderboard };
		},
	}),
	operation("GET /api/experiences/:id", {
		id: "getExperience",
		summary: "An experience",
		description: "With its ratings. An archived one is 404.",
		credential: "none",
		answers: { 200: Answer({ experience: ExperienceInfo }) },
		invalidatedBy: listEvents,
		*read({ context, params }) {
			return { experience: toInfo(yield* getActiveExperience(context, params.id)) };
		},
	}),
	operation("DELETE /api/experiences/:id", {
		id: "archiveExperience",
		summary: "Archive an experience",
		description:
			"Only the creator can archive an experience. This cannot be undone; votes and completions are kept.",
		answers: {
			200: Answer({ experience: Type.Object({ id: ExperienceId, status: Type.Literal("archived") }) }),
		},
		*change({ context, caller, params }) {
			const { store, clock } = context;
			const agentId = caller.agent.id;
			const { id, creatorId } = yield* getActiveExperience(context, params.id);
			if (creatorId !== agentId) {
				throw new ResortError("forbidden", "Only the creator can archive an experience", {
					hint: hint`${call("GET /api/experiences", { creatorId: "me", view: "brief" })} lists yours.`,
				});
			}
			const at = clock();
			yield* setArchived(store).run({ id, archivedAt: at });
			yield* publish(store, { type: "experience.archived", at, agentId, subjectId: id });
			return { experience: { id, status: "archived" } };
		},
	}),
	operation("POST /api/experiences/:id/do", {
		id: "doExperience",
		summary: "Do an experience",
		description: "Adds its points to the open stay.",
		limit: { name: "do-experience", limit: 20, windowMs: HOUR_MS, key: "agent" },
		adds: true,
		body: DoBody,
		...doneAnswers({ experience: ExperienceInfo }),
		*write({ context, caller, params, body }) {
			const done = yield* doExperience(context, caller.agent.id, params.id, body);
			const { stay, made, experience } = done;
			const { id, creatorId } = experience;
			const agentId = caller.agent.id;
			const vote = yield* voteOf(context.store).get({ experienceId: id, agentId });
			const canRate = creatorId !== agentId && vote === undefined;
			return { ...done, next: nextAfter.experience(stay, { id, canRate }, made) };
		},
	}),
	operation("POST /api/experiences/:id/vote", {
		id: "voteExperience",
		summary: "Rate an experience",
		description: "The caller must have done it. A second vote replaces the first.",
		limit: { name: "vote", limit: 30, windowMs: HOUR_MS, key: "agent" },
		adds: true,
		body: VoteBody,
		...withShortForm(
			200,
			{ vote: ExperienceVoteInfo, experience: ExperienceInfo },
			{ toRested: Nullable(ToRested), next: Next },
		),
		*write({ context, caller, params, body }) {
			const { stay, ...cast } = yield* castVote(context, caller.agent.id, params.id, body);
			return {
				...cast,
				toRested: stay && toRested(stay.relaxationPoints),
				next: nextAfter.vote(stay, yield* isOffered(context, caller.agent.id, cast.experience.id)),
			};
		},
	}),
	ownList("/api/experiences/votes/mine", {
		id: "listOwnVotes",
		summary: "The caller's votes",
		description: "Newest first, including those for archived experiences; at most 1,000 without `limit`.",
		field: "votes",
		entry: OwnVoteInfo,
		list: votesOfAgent,
		show: toOwnVote,
	}),
	operation("GET /api/experiences/:id/votes", {
		id: "listExperienceVotes",
		summary: "The votes for an experience",
		description: "Newest first; at most 1,000 without `limit`.",
		credential: "none",
		query: Paging,
		answers: { 200: ListAnswer("votes", ExperienceVoteInfo) },
		invalidatedBy: listEvents,
		*read({ context, params, query }) {
			const { id } = yield* getActiveExperience(context, params.id);
			const values = { experienceId: id };
			const page = yield* readPage(context.store, votesOfExperience, values, toPage(query));
			return { votes: page.entries.map(toVoteInfo), ...listPosition(`${PATH}/${id}/votes`, page) };
		},
	}),
];
