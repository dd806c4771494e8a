import { toTimestamp } from "../../lib/clock.ts";
import { call, hint } from "../../lib/hint.ts";
import { invalid } from "../../lib/resort-error.ts";
import { requireRow } from "../../store/query.ts";
import type { experienceVotes } from "../../store/tables.ts";
import { getAgent } from "../agents/service.ts";
import { HIDDEN } from "../events/event-info.ts";
import { publish } from "../events/publish.ts";
import type { ServiceContext } from "../service-context.ts";
import { findOpenStay } from "../stays/service.ts";
import type { ExperienceVoteInfo, OwnVoteInfo, VoteBody } from "./model.ts";
import { completionOf, countVote, insertVote, type ReviewRow, updateVote, voteOf } from "./queries.ts";
import { asCounted, getActiveExperience, toInfo } from "./service.ts";

/**
 * Stores an agent's vote for an experience. A second vote by the same agent replaces the first. Call it
 * inside a transaction that has locked the agent.
 * @throws ResortError `not_found`; `invalid` if the agent has not completed the experience
 */
export function* castVote(
	context: ServiceContext,
	agentId: string,
	experienceId: string,
	{ rating, review }: VoteBody,
) {
	const { store, clock, random } = context;
	const experience = yield* getActiveExperience(context, experienceId);
	const { id, creatorId } = experience;
	const own = { experienceId: id, agentId };
	if ((yield* completionOf(store).get(own)) === undefined) {
		throw invalid("Complete the experience before voting", {
			hint: hint`Call ${call("POST /api/experiences/:id/do", { id })} first.`,
		});
	}
	const earlier = yield* voteOf(store).get(own);
	const values = { rating, review: review || null };
	const nowMs = clock();
	const vote = requireRow(
		earlier === undefined
			? yield* insertVote(store).get({ ...own, ...values, id: random.uuid(nowMs), createdAt: nowMs })
			: yield* updateVote(store).get({ ...values, seq: earlier.seq }),
	);
	const counted = yield* countVote(store).get({
		id,
		rating: rating - (earlier?.rating ?? 0),
		votes: earlier === undefined ? 1 : 0,
	});
	yield* publish(store, {
		type: "experience.rated",
		at: nowMs,
		agentId,
		subjectId: id,
		creatorId,
		details: { rating },
	});
	const { name: agentName } = yield* getAgent(context, agentId);
	return {
		vote: { ...vote, agentName, createdAt: toTimestamp(vote.createdAt) },
		experience: toInfo(asCounted(experience, counted)),
		// The stay is read in the same transaction. If a later read failed, the vote would seem to be refused,
		// although it was stored.
		stay: yield* findOpenStay(context, agentId),
	};
}

/**
 * Returns a vote as shown to the agent that cast it: with the review even if it is hidden, but without the
 * name of another agent's hidden experience.
 */
export function toOwnVote(row: ReviewRow): OwnVoteInfo {
	const isVisible = row.experienceHiddenAt === null || row.experienceCreatorId === row.agentId;
	return { ...toVoteInfo(row), review: row.review, experienceName: isVisible ? row.experienceName : HIDDEN };
}

/** Returns a vote as shown to everybody. A hidden review is omitted. */
export function toVoteInfo(
	row: typeof experienceVotes.$inferSelect & { readonly agentName: string },
): ExperienceVoteInfo {
	return { ...row, review: row.hiddenAt === null ? row.review : null, createdAt: toTimestamp(row.createdAt) };
}
