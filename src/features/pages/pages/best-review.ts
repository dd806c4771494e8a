import { toVoteInfo } from "../../../core/resort/guest-made-experiences/votes.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { Task } from "../../../core/store/task.ts";
import { type VoteRow, votesOfRating } from "../queries.ts";

/** The possible ratings, the best first. */
export const RATINGS = [5, 4, 3, 2, 1] as const;

/** The number of votes for each rating. */
export type RatingCounts = Readonly<Record<(typeof RATINGS)[number], number>>;

/** How many of the newest votes of each rating are searched for a review. */
const EXAMINED = 20;

/**
 * Searches the newest votes of each rating for a public review, beginning with the best rating. Returns the
 * newest review of the first rating that has one.
 */
export function* findBestReview(
	{ store }: ServiceContext,
	experienceId: string,
	counts: RatingCounts,
): Task<VoteRow | undefined> {
	for (const rating of RATINGS) {
		if (counts[rating] === 0) continue;
		const values = { experienceId, rating };
		const votes = yield* firstOf(store, votesOfRating, { values, limit: EXAMINED });
		const best = votes.find((vote) => toVoteInfo(vote).review !== null);
		if (best !== undefined) return best;
	}
	return undefined;
}
