import { eq } from "drizzle-orm";
import {
	experienceReflections,
	ownExperienceReflections,
} from "../../content/experience-reflections.ts";
import { toTimestamp } from "../../lib/clock.ts";
import { pick } from "../../lib/random.ts";
import { ResortError } from "../../lib/resort-error.ts";
import { textOrNull } from "../../lib/text.ts";
import { experiences, experienceVotes } from "../../store/tables.ts";
import { writeAs } from "../agents/known.ts";
import { getAgent } from "../agents/service.ts";
import type { Resort } from "../resort.ts";
import type { Page } from "../schemas.ts";
import { recordCompletion } from "../stays/completion.ts";
import type { DoBody, LogEntry } from "../stays/model.ts";
import { requireOpenStay } from "../stays/service.ts";
import type {
	CreateExperienceBody,
	ExperienceInfo,
	ExperienceVoteInfo,
	LeaderboardEntry,
	Sort,
	VoteBody,
} from "./model.ts";
import {
	categoryKey,
	completionOf,
	countCompletion,
	countVote,
	experienceById,
	leaderboards,
	lists,
	voteOf,
	votesFor,
} from "./queries.ts";

/** A row of the experiences table, with the present name of its creator. */
type Experience = typeof experiences.$inferSelect & {
	readonly creatorName: string;
};

/** Points of an experience whose creator named none (decisions 4). */
export const USUAL_POINTS = 3;

/**
 * Makes an experience (POST /api/experiences).
 * @throws ResortError `invalid` when the agent is not checked in
 */
export function createExperience(
	resort: Resort,
	agentId: string,
	body: CreateExperienceBody,
): Promise<ExperienceInfo> {
	const { clock, random } = resort;
	return writeAs(resort, agentId, ["experiences"], (db) => {
		requireOpenStay(resort, agentId);
		const nowMs = clock();
		const experience = db
			.insert(experiences)
			.values({
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
			})
			.returning()
			.get();
		return toInfo({
			...experience,
			creatorName: getAgent(resort, agentId).name,
		});
	});
}

/**
 * Active experiences (GET /api/experiences).
 * @param category of this one only, whatever its case; of all when empty or undefined
 */
export function listExperiences(
	{ store }: Resort,
	sort: Sort,
	category: string | undefined,
	page: Page,
): ExperienceInfo[] {
	return select(lists[sort], store, category, page).map(toInfo);
}

/**
 * The best rated active experiences with at least 3 votes (GET /api/experiences/leaderboard).
 * @param category as in {@link listExperiences}
 */
export function listLeaders(
	{ store }: Resort,
	category: string | undefined,
	limit: number,
): LeaderboardEntry[] {
	const rows = select(leaderboards, store, category, { limit, offset: 0 });
	return rows.map((row, at) => ({ rank: at + 1, experience: toInfo(row) }));
}

/**
 * An active experience (GET /api/experiences/{id}).
 * @throws ResortError `not_found` when it is unknown or archived
 */
export function getExperience(resort: Resort, id: string): ExperienceInfo {
	return toInfo(getActive(resort, id));
}

/**
 * Archives an experience (DELETE /api/experiences/{id}).
 * @returns its id
 * @throws ResortError `not_found`; `forbidden` when the agent did not create it
 */
export function archiveExperience(
	resort: Resort,
	agentId: string,
	experienceId: string,
): Promise<string> {
	return writeAs(resort, agentId, ["experiences"], (db) => {
		const { id, creatorId } = getActive(resort, experienceId);
		if (creatorId !== agentId) {
			throw new ResortError(
				"forbidden",
				"Only the creator can archive an experience",
			);
		}
		db.update(experiences)
			.set({ archivedAt: resort.clock() })
			.where(eq(experiences.id, id))
			.run();
		return id;
	});
}

/** What a guest gets for doing an experience. */
export interface ExperienceCompletion {
	readonly experience: ExperienceInfo;
	readonly log: LogEntry;
	/** The stay's points after it. */
	readonly relaxationPoints: number;
	readonly reflection: string;
}

/**
 * Does an experience (POST /api/experiences/{id}/do).
 * @throws ResortError `not_found`; `invalid` when the agent is not checked in
 */
export function doExperience(
	resort: Resort,
	agentId: string,
	experienceId: string,
	body: DoBody,
): Promise<ExperienceCompletion> {
	return writeAs(resort, agentId, ["self", "house", "experiences"], () => {
		const experience = getActive(resort, experienceId);
		const stay = requireOpenStay(resort, agentId);
		countCompletion(resort.store).run({ id: experience.id });
		return {
			experience: getExperience(resort, experience.id),
			...recordCompletion(
				resort,
				stay,
				{ ...experience, activityId: null, experienceId: experience.id },
				body,
			),
			reflection: pick(
				resort.random,
				experience.creatorId === agentId
					? ownExperienceReflections
					: experienceReflections,
			),
		};
	});
}

/**
 * Votes for an experience, or changes the earlier vote (POST /api/experiences/{id}/vote).
 * @throws ResortError `not_found`; `invalid` when the agent has not completed it
 */
export function castVote(
	resort: Resort,
	agentId: string,
	experienceId: string,
	{ rating, review }: VoteBody,
): Promise<{ vote: ExperienceVoteInfo; experience: ExperienceInfo }> {
	const { store, clock, random } = resort;
	return writeAs(resort, agentId, ["experiences"], (db) => {
		const { id } = getActive(resort, experienceId);
		const own = { experienceId: id, agentId };
		if (completionOf(store).get(own) === undefined) {
			throw new ResortError(
				"invalid",
				"Complete the experience before voting",
				{ hint: `Call POST /api/experiences/${id}/do first.` },
			);
		}
		const earlier = voteOf(store).get(own);
		const said = { rating, review: textOrNull(review) };
		const nowMs = clock();
		const vote =
			earlier === undefined
				? db
						.insert(experienceVotes)
						.values({
							...own,
							...said,
							id: random.uuid(nowMs),
							createdAt: nowMs,
						})
						.returning()
						.get()
				: db
						.update(experienceVotes)
						.set(said)
						.where(eq(experienceVotes.seq, earlier.seq))
						.returning()
						.get();
		countVote(store).run({
			id,
			rating: rating - (earlier?.rating ?? 0),
			votes: earlier === undefined ? 1 : 0,
		});
		return {
			vote: toVoteInfo({ ...vote, agentName: getAgent(resort, agentId).name }),
			experience: getExperience(resort, id),
		};
	});
}

/**
 * The votes for an experience, newest first (GET /api/experiences/{id}/votes).
 * @throws ResortError `not_found`
 */
export function listVotes(
	resort: Resort,
	experienceId: string,
	page: Page,
): ExperienceVoteInfo[] {
	const { id } = getActive(resort, experienceId);
	return votesFor(resort.store)
		.all({ experienceId: id, ...page })
		.map(toVoteInfo);
}

/** The rows of a list: those of one category, whatever its case, or all of them. */
function select(
	list: typeof leaderboards,
	store: Resort["store"],
	category: string | undefined,
	page: Page,
): Experience[] {
	const key = categoryKey(category ?? "");
	return key
		? list.category(store).all({ ...page, category: key })
		: list.all(store).all({ ...page });
}

function getActive({ store }: Resort, id: string): Experience {
	const experience = experienceById(store).get({ id: id.toLowerCase() });
	if (experience === undefined) {
		throw new ResortError("not_found", "Experience not found", {
			hint: "Call GET /api/experiences for the ids.",
		});
	}
	return experience;
}

function toInfo(row: Experience): ExperienceInfo {
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

function toVoteInfo(
	row: typeof experienceVotes.$inferSelect & { readonly agentName: string },
): ExperienceVoteInfo {
	return {
		id: row.id,
		experienceId: row.experienceId,
		agentName: row.agentName,
		rating: row.rating,
		review: row.review,
		createdAt: toTimestamp(row.createdAt),
	};
}
