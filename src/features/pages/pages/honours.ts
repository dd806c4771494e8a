import { type ExperienceRow, ranking } from "../../../core/resort/guest-made-experiences/queries.ts";
import { firstOf } from "../../../core/resort/lists.ts";
import type { ServiceContext } from "../../../core/resort/service-context.ts";
import type { Task } from "../../../core/store/task.ts";
import { longestStays, mostRested } from "../queries.ts";

/** The number of best rated experiences whose creators are considered. */
const RANKED = 100;

/** The weighted rating of an experience without votes. */
const NEUTRAL = 3;

/** An agent on a board of honour. */
export interface Honoured {
	readonly id: string;
	readonly name: string;
	/** The value that ranks the agent: points or milliseconds, depending on the board. */
	readonly total: number;
}

/** The boards of honour. */
export interface Honours {
	/** The agents with the most points in all their closed stays. */
	readonly mostRested: readonly Honoured[];
	/** The agents with the longest single stays, among closed stays. */
	readonly longestStays: readonly Honoured[];
	/** The best rated experiences, at most one of each creator. */
	readonly bestMade: readonly ExperienceRow[];
}

/** Reads the boards of honour, with at most `limit` agents each. Deactivated agents are omitted. */
export function* readHonours({ store }: ServiceContext, limit: number): Task<Honours> {
	const bestMade = new Map<string, ExperienceRow>();
	for (const row of yield* firstOf(store, ranking.all, { values: {}, limit: RANKED })) {
		const counts = (row.weightedRating ?? 0) > NEUTRAL && row.creatorGoneAt === null;
		if (!counts || bestMade.has(row.creatorId)) continue;
		bestMade.set(row.creatorId, row);
	}
	return {
		mostRested: yield* mostRested(store).all({ limit }),
		longestStays: yield* longestStays(store).all({ limit }),
		bestMade: [...bestMade.values()].slice(0, limit),
	};
}
