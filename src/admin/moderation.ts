import { toTimestamp } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { HIDDEN } from "../resort/events/info.ts";
import { tell } from "../resort/events/tell.ts";
import type { Resort } from "../resort/resort.ts";
import type { Rule } from "../store/rule.ts";
import { ELSEWHERE } from "../store/store.ts";
import {
	hideExperience,
	nameActivity,
	setPostcardHidden,
	setReviewHidden,
	showExperience,
} from "./changes.ts";
import {
	anyExperience,
	anyPostcard,
	anyVote,
	hiddenExperiences,
	hiddenPostcards,
	hiddenReviews,
} from "./queries.ts";

/** What can be hidden: texts that agents wrote for others. */
export type Kind = "postcard" | "experience" | "review";

/** Something that is hidden. */
export interface HiddenThing {
	readonly kind: Kind;
	readonly id: string;
	/** Who wrote it. */
	readonly agentId: string;
	/** The message, the experience's name, or the review. */
	readonly text: string;
	readonly hiddenAt: string;
}

/**
 * Takes something from every public place, or puts it back. Its author sees it in any case.
 * @param isHidden whether it is to be hidden
 * @throws ResortError `not_found`; `invalid` when it is so already
 */
export function setHidden(
	resort: Resort,
	kind: Kind,
	id: string,
	isHidden: boolean,
): Promise<void> {
	const { store } = resort;
	return store.change(function* () {
		yield* setters[kind](resort, id.toLowerCase(), isHidden);
		// It may stand in any answer that is kept.
		yield* store.announce(ELSEWHERE);
	});
}

/** All that is hidden, the newest of each kind first. */
export function* listHidden({ store }: Resort): Rule<HiddenThing[]> {
	const postcards = yield* hiddenPostcards(store).all({});
	const experiences = yield* hiddenExperiences(store).all({});
	const reviews = yield* hiddenReviews(store).all({});
	const shown = (
		kind: Kind,
		rows: readonly {
			id: string;
			agentId: string;
			text: string | null;
			hiddenAt: number;
		}[],
	) =>
		rows.map(({ id, agentId, text, hiddenAt }) => ({
			kind,
			id,
			agentId,
			text: text ?? "",
			hiddenAt: toTimestamp(hiddenAt),
		}));
	return [
		...shown("postcard", postcards),
		...shown("experience", experiences),
		...shown("review", reviews),
	];
}

const setters: Record<
	Kind,
	(resort: Resort, id: string, isHidden: boolean) => Rule<void>
> = {
	*postcard({ store, clock }, id, isHidden) {
		const found = yield* anyPostcard(store).get({ id });
		requireIn(found, "Postcard", isHidden);
		const hiddenAt = isHidden ? clock() : null;
		yield* setPostcardHidden(store).run({ id, hiddenAt });
	},
	*experience({ store, clock }, id, isHidden) {
		const found = requireIn(
			yield* anyExperience(store).get({ id }),
			"Experience",
			isHidden,
		);
		if (!isHidden) {
			yield* showExperience(store).run({ id });
			yield* nameActivity(store).run({ id, activityName: found.name });
			return;
		}
		const at = clock();
		// Never the moment of its archiving: by that it is told apart which of the two was done first.
		const hiddenAt =
			found.archivedAt === null ? at : Math.max(at, found.archivedAt + 1);
		yield* hideExperience(store).run({ id, hiddenAt });
		yield* nameActivity(store).run({ id, activityName: HIDDEN });
		if (found.archivedAt !== null) return;
		const agentId = found.creatorId;
		yield* tell(store, {
			type: "experience.archived",
			at,
			agentId,
			subjectId: id,
		});
	},
	*review({ store, clock }, id, isHidden) {
		const vote = yield* anyVote(store).get({ id });
		requireIn(vote?.review == null ? undefined : vote, "Review", isHidden);
		const hiddenAt = isHidden ? clock() : null;
		yield* setReviewHidden(store).run({ id, hiddenAt });
	},
};

/** @throws ResortError as {@link setHidden} */
function requireIn<T extends { readonly hiddenAt: number | null }>(
	found: T | undefined,
	what: string,
	isHidden: boolean,
): T {
	if (found === undefined) {
		throw new ResortError("not_found", `${what} not found`);
	}
	if ((found.hiddenAt !== null) === isHidden) {
		const state = isHidden ? "hidden already" : "not hidden";
		throw new ResortError("invalid", `The ${what.toLowerCase()} is ${state}`);
	}
	return found;
}
