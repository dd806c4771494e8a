import { DAY_MS, MINUTE_MS, toTimestamp } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { HIDDEN } from "../resort/events/event-info.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { getAnyAgent } from "./agents.ts";
import { MOST_LISTED } from "./bounds.ts";
import {
	hideExperience,
	nameActivity,
	setPostcardHidden,
	setReviewHidden,
	showExperience,
} from "./changes.ts";
import { hideables } from "./queries.ts";

/** How far the clock may be set back without an activity that was over being told anew, by its old name. */
const CLOCK_SLACK_MS = DAY_MS;

/** What can be hidden: texts that agents wrote for others. */
export const kinds = ["postcard", "experience", "review"] as const;
export type Kind = (typeof kinds)[number];

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

/** Something that was hidden or shown. */
export interface Moderated {
	readonly kind: Kind;
	readonly id: string;
	/** Who wrote it. */
	readonly agentId: string;
	readonly agentName: string;
	/** Of an experience: whether nobody finds it, because it is hidden or its creator has archived it. */
	readonly isArchived?: boolean;
}

/**
 * Takes something from every public place, or puts it back. Its author sees it in any case.
 * @param isHidden whether it is to be hidden
 * @throws ResortError `not_found`; `invalid` when it is so already
 */
export function setHidden(
	context: ServiceContext,
	kind: Kind,
	id: string,
	isHidden: boolean,
): Promise<Moderated> {
	const { store } = context;
	return store.write(function* () {
		const set = yield* setters[kind](context, id.toLowerCase(), isHidden);
		// It may stand in any answer that is kept.
		yield* store.publish(EXTERNAL_CHANGE);
		const { name } = yield* getAnyAgent(store, set.agentId);
		return { kind, id: id.toLowerCase(), agentName: name, ...set };
	});
}

/** What is hidden, the newest of each kind first, {@link MOST_LISTED} of each at most; and whether there is more. */
export function* listHidden({
	store,
}: ServiceContext): Task<{ hidden: HiddenThing[]; isCut: boolean }> {
	const hidden: HiddenThing[] = [];
	let isCut = false;
	for (const kind of kinds) {
		const limit = MOST_LISTED + 1;
		const { newest } = hideables[kind];
		const rows = yield* newest(store).all({ limit });
		isCut ||= rows.length === limit;
		for (const row of rows.slice(0, MOST_LISTED)) {
			const { id, agentId, text, hiddenAt } = row;
			hidden.push({
				...{ kind, id, agentId, text: text ?? "" },
				hiddenAt: toTimestamp(hiddenAt ?? 0),
			});
		}
	}
	return { hidden, isCut };
}

/** Hides or shows one kind of text, inside a change. */
type Setter = (
	context: ServiceContext,
	id: string,
	isHidden: boolean,
) => Task<Pick<Moderated, "agentId" | "isArchived">>;

const setters: Record<Kind, Setter> = {
	*postcard({ store, clock }, id, isHidden) {
		const { one } = hideables.postcard;
		const found = requireIn(
			yield* one(store).get({ id }),
			"Postcard",
			isHidden,
		);
		const hiddenAt = isHidden ? clock() : null;
		yield* setPostcardHidden(store).run({ id, hiddenAt });
		return { agentId: found.agentId };
	},
	*experience({ store, clock }, id, isHidden) {
		const { one } = hideables.experience;
		const found = requireIn(
			yield* one(store).get({ id }),
			"Experience",
			isHidden,
		);
		const { agentId, archivedAt } = found;
		const at = clock();
		const since = at - found.durationMinutes * MINUTE_MS - CLOCK_SLACK_MS;
		if (!isHidden) {
			yield* showExperience(store).run({ id });
			const activityName = found.text;
			yield* nameActivity(store).run({ id, since, activityName });
			return { agentId, isArchived: archivedAt !== found.hiddenAt };
		}
		// Never the moment of its archiving: by that it is told apart which of the two was done first.
		const hiddenAt = archivedAt === null ? at : Math.max(at, archivedAt + 1);
		yield* hideExperience(store).run({ id, hiddenAt });
		yield* nameActivity(store).run({ id, since, activityName: HIDDEN });
		if (archivedAt === null) {
			yield* publish(store, {
				type: "experience.archived",
				at,
				agentId,
				subjectId: id,
			});
		}
		return { agentId, isArchived: true };
	},
	*review({ store, clock }, id, isHidden) {
		const { one } = hideables.review;
		const vote = yield* one(store).get({ id });
		// One that is hidden may have been taken back since: then the vote can still be shown again.
		const isThere = vote?.text != null || vote?.hiddenAt != null;
		const { agentId } = requireIn(
			isThere ? vote : undefined,
			"Review",
			isHidden,
		);
		const hiddenAt = isHidden ? clock() : null;
		yield* setReviewHidden(store).run({ id, hiddenAt });
		return { agentId };
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
