import {
	experienceReflections,
	ownExperienceReflections,
} from "../../content/experience-reflections.ts";
import { toTimestamp } from "../../lib/clock.ts";
import { pickOne } from "../../lib/random.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { textOrNull } from "../../lib/text.ts";
import { theRow } from "../../store/question.ts";
import type { Rule } from "../../store/rule.ts";
import type { experiences, experienceVotes } from "../../store/tables.ts";
import { changeAs } from "../agents/known.ts";
import { getAgent } from "../agents/rules.ts";
import { tell } from "../events/tell.ts";
import { listOf } from "../lists.ts";
import { LongList } from "../reply.ts";
import type { Resort } from "../resort.ts";
import { type Page, toPage } from "../schemas.ts";
import { type Recorded, recordCompletion } from "../stays/completion.ts";
import type { DoBody } from "../stays/model.ts";
import { findOpenStay, requireOpenStay } from "../stays/rules.ts";
import type {
	CreateExperienceBody,
	ExperienceInfo,
	ExperiencesQuery,
	ExperienceVoteInfo,
	LeaderboardEntry,
	OwnVoteInfo,
	VoteBody,
} from "./model.ts";
import {
	categoryKey,
	completionOf,
	countCompletion,
	countVote,
	type ExperienceRow,
	experienceById,
	insertExperience,
	insertVote,
	leaderboards,
	lists,
	setArchived,
	updateVote,
	type VoteRow,
	voteOf,
	votesOfAgent,
	votesOfExperience,
} from "./queries.ts";

/** A row of the experiences table, with the present name of its creator. */
type Experience = typeof experiences.$inferSelect & {
	readonly creatorName: string;
};

/** Points of an experience whose creator named none. */
export const USUAL_POINTS = 3;

/**
 * Makes an experience.
 * @throws ResortError `invalid` when the agent is not checked in
 */
export function createExperience(
	resort: Resort,
	agentId: string,
	body: CreateExperienceBody,
): Promise<ExperienceInfo> {
	const { store, clock, random } = resort;
	return changeAs(resort, agentId, function* () {
		yield* requireOpenStay(resort, agentId);
		const nowMs = clock();
		const experience = theRow(
			yield* insertExperience(store).get({
				id: `exp-${random.uuid(nowMs)}`,
				creatorId: agentId,
				name: body.name,
				category: body.category,
				categoryKey: categoryKey(body.category),
				description: body.description,
				location: body.location,
				durationMinutes: body.durationMinutes,
				relaxationPoints: body.relaxationPoints ?? USUAL_POINTS,
				maxParticipants: body.maxParticipants ?? null,
				createdAt: nowMs,
			}),
		);
		yield* tell(store, {
			type: "experience.created",
			at: nowMs,
			agentId,
			subjectId: experience.id,
		});
		return toInfo({
			...experience,
			creatorName: (yield* getAgent(resort, agentId)).name,
		});
	});
}

/**
 * Active experiences as a query asks for them; its `creatorId` is an agent's id, in any case.
 * @param isOwn whether that agent asks: then those that the host has hidden are there too
 */
export function listExperiences(
	{ store }: Resort,
	{ sort = "rating", category = "", creatorId, ...paging }: ExperiencesQuery,
	isOwn = false,
): LongList<ExperienceInfo> {
	const key = categoryKey(category);
	const of = lists[sort];
	const ofCreator = isOwn ? [of.own, of.ownInCategory] : [of.creator, of.both];
	const [whole = of.all, inCategory = of.category] =
		creatorId === undefined ? [] : ofCreator;
	const list = key === "" ? whole : inCategory;
	const values = { category: key, creatorId: creatorId?.toLowerCase() };
	return listOf(store, list, values, toPage(paging), toInfo);
}

/**
 * The best rated active experiences with at least 3 votes.
 * @param category whatever its case; of all when empty or undefined
 */
export function listLeaders(
	{ store }: Resort,
	category: string | undefined,
	limit: number,
): LongList<LeaderboardEntry> {
	const key = categoryKey(category ?? "");
	const list = key === "" ? leaderboards.all : leaderboards.category;
	const page = { limit, offset: 0 };
	const leaders = listOf(store, list, { category: key }, page, toInfo);
	return new LongList(leaders.keys, function* (keys) {
		// All leaders fit in one slice, so that the place in it gives the rank.
		const read = yield* leaders.read(keys);
		return read.map((experience, at) => ({ rank: at + 1, experience }));
	});
}

/**
 * An active experience.
 * @throws ResortError `not_found` when it is unknown or archived
 */
export function* getExperience(
	resort: Resort,
	id: string,
): Rule<ExperienceInfo> {
	return toInfo(yield* getActiveExperience(resort, id));
}

/**
 * Archives an experience.
 * @returns its id
 * @throws ResortError `not_found`; `forbidden` when the agent did not create it
 */
export function archiveExperience(
	resort: Resort,
	agentId: string,
	experienceId: string,
): Promise<string> {
	const { store, clock } = resort;
	return changeAs(resort, agentId, function* () {
		const { id, creatorId } = yield* getActiveExperience(resort, experienceId);
		if (creatorId !== agentId) {
			throw new ResortError(
				"forbidden",
				"Only the creator can archive an experience",
			);
		}
		const at = clock();
		yield* setArchived(store).run({ id, archivedAt: at });
		yield* tell(store, {
			type: "experience.archived",
			at,
			agentId,
			subjectId: id,
		});
		return id;
	});
}

/** What a guest gets for doing an experience. */
export interface ExperienceCompletion extends Recorded {
	readonly experience: ExperienceInfo;
	readonly reflection: string;
}

/**
 * Does an experience.
 * @throws ResortError `not_found`; `invalid` when the agent is not checked in
 */
export function doExperience(
	resort: Resort,
	agentId: string,
	experienceId: string,
	body: DoBody,
): Promise<ExperienceCompletion> {
	return changeAs(resort, agentId, function* () {
		const experience = yield* getActiveExperience(resort, experienceId);
		const stay = yield* requireOpenStay(resort, agentId);
		yield* countCompletion(resort.store).run({ id: experience.id });
		return {
			experience: yield* getExperience(resort, experience.id),
			...(yield* recordCompletion(
				resort,
				stay,
				{ ...experience, activityId: null, experienceId: experience.id },
				body,
			)),
			reflection: pickOne(
				resort.random,
				experience.creatorId === agentId
					? ownExperienceReflections
					: experienceReflections,
			),
		};
	});
}

/** A vote that was cast. */
export interface CastVote {
	readonly vote: ExperienceVoteInfo;
	readonly experience: ExperienceInfo;
	/** Read with the vote: a read that failed afterwards would make a vote that was cast look refused. */
	readonly isVoterCheckedIn: boolean;
}

/**
 * Votes for an experience, or changes the earlier vote.
 * @throws ResortError `not_found`; `invalid` when the agent has not completed it
 */
export function castVote(
	resort: Resort,
	agentId: string,
	experienceId: string,
	{ rating, review }: VoteBody,
): Promise<CastVote> {
	const { store, clock, random } = resort;
	return changeAs(resort, agentId, function* () {
		const { id } = yield* getActiveExperience(resort, experienceId);
		const own = { experienceId: id, agentId };
		if ((yield* completionOf(store).get(own)) === undefined) {
			throw new ResortError(
				"invalid",
				"Complete the experience before voting",
				{ hint: `Call POST /api/experiences/${id}/do first.` },
			);
		}
		const earlier = yield* voteOf(store).get(own);
		const said = { rating, review: textOrNull(review) };
		const nowMs = clock();
		const vote = theRow(
			earlier === undefined
				? yield* insertVote(store).get({
						...own,
						...said,
						id: random.uuid(nowMs),
						createdAt: nowMs,
					})
				: yield* updateVote(store).get({ ...said, seq: earlier.seq }),
		);
		yield* countVote(store).run({
			id,
			rating: rating - (earlier?.rating ?? 0),
			votes: earlier === undefined ? 1 : 0,
		});
		yield* tell(store, {
			type: "experience.rated",
			at: nowMs,
			agentId,
			subjectId: id,
			details: { rating },
		});
		return {
			vote: {
				...toVoteInfo({
					...vote,
					agentName: (yield* getAgent(resort, agentId)).name,
				}),
				review: vote.review,
			},
			experience: yield* getExperience(resort, id),
			isVoterCheckedIn: (yield* findOpenStay(resort, agentId)) !== null,
		};
	});
}

/**
 * The votes for an experience, newest first.
 * @throws ResortError `not_found`
 */
export function* listVotes(
	resort: Resort,
	experienceId: string,
	page: Page,
): Rule<LongList<ExperienceVoteInfo>> {
	const { id } = yield* getActiveExperience(resort, experienceId);
	const own = { experienceId: id };
	return listOf(resort.store, votesOfExperience, own, page, toVoteInfo);
}

/** The votes of an agent, also those for archived experiences, newest first. */
export function listOwnVotes(
	{ store }: Resort,
	agentId: string,
	page: Page,
): LongList<OwnVoteInfo> {
	return listOf(store, votesOfAgent, { agentId }, page, (row) => ({
		...toVoteInfo(row),
		review: row.review,
		experienceName: row.experienceName,
	}));
}

/**
 * An active experience as it is kept.
 * @throws ResortError `not_found` when it is unknown or archived
 */
export function* getActiveExperience(
	{ store }: Resort,
	id: string,
): Rule<ExperienceRow> {
	const experience = yield* experienceById(store).get({ id: id.toLowerCase() });
	if (experience === undefined) {
		throw new ResortError("not_found", "Experience not found", {
			hint: "Call GET /api/experiences for the ids.",
		});
	}
	return experience;
}

/** An experience as everyone may see it. */
export function toInfo(row: Experience): ExperienceInfo {
	return {
		id: row.id,
		creatorId: row.creatorId,
		creatorName: row.creatorName,
		name: row.name,
		category: row.category,
		description: row.description,
		location: row.location,
		durationMinutes: row.durationMinutes,
		relaxationPoints: row.relaxationPoints,
		maxParticipants: row.maxParticipants,
		createdAt: toTimestamp(row.createdAt),
		avgRating:
			row.totalVotes === 0
				? null
				: Math.round((row.ratingSum * 100) / row.totalVotes) / 100,
		totalVotes: row.totalVotes,
		totalCompletions: row.totalCompletions,
	};
}

/** A review as everyone may see it: null when there is none, or the host has hidden it. */
export function shownReview({
	review,
	hiddenAt,
}: Pick<VoteRow, "review" | "hiddenAt">): string | null {
	return hiddenAt === null ? review : null;
}

/** A vote as everyone may see it: without a review that the host has hidden. */
export function toVoteInfo(
	row: typeof experienceVotes.$inferSelect & { readonly agentName: string },
): ExperienceVoteInfo {
	return {
		id: row.id,
		experienceId: row.experienceId,
		agentId: row.agentId,
		agentName: row.agentName,
		rating: row.rating,
		review: shownReview(row),
		createdAt: toTimestamp(row.createdAt),
	};
}
