import { DAY_MS, MINUTE_MS, toTimestamp } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { HIDDEN } from "../resort/events/event-info.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { getAnyAgent } from "./manage-agents.ts";
import {
	hideables,
	hideExperience,
	nameActivity,
	setPostcardHidden,
	setReviewHidden,
	showExperience,
} from "./queries.ts";

/** The most texts of each kind in the list of hidden ones. */
const MAX_LISTED = 1_000;

/** How far the clock may be set back without an ended activity showing its old name again. */
const CLOCK_SLACK_MS = DAY_MS;

/** The kinds of texts that can be hidden. */
export const kinds = ["postcard", "experience", "review"] as const;
export type Kind = (typeof kinds)[number];

/** A hidden text. */
export interface HiddenThing {
	readonly kind: Kind;
	readonly id: string;
	/** The author. */
	readonly agentId: string;
	/** The message, the experience's name, or the review. */
	readonly text: string;
	readonly hiddenAt: string;
}

/** A text that was hidden or shown. */
export interface Moderated {
	readonly kind: Kind;
	readonly id: string;
	/** The author. */
	readonly agentId: string;
	readonly agentName: string;
	/** Whether an experience is archived, because it is hidden or by its creator. */
	readonly isArchived?: boolean;
}

/**
 * Removes a text from every public place, or puts it back. Its author always sees it.
 * @throws ResortError `not_found`; `invalid` if it is hidden or shown already
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
		// Any cached response may contain it.
		yield* store.publish(EXTERNAL_CHANGE);
		const { name } = yield* getAnyAgent(store, set.agentId);
		return { kind, id: id.toLowerCase(), agentName: name, ...set };
	});
}

/** Lists the hidden texts, the newest of each kind first, and whether the list was cut. */
export function* listHidden({
	store,
}: ServiceContext): Task<{ hidden: HiddenThing[]; isCut: boolean }> {
	const hidden: HiddenThing[] = [];
	let isCut = false;
	for (const kind of kinds) {
		const limit = MAX_LISTED + 1;
		const { newest } = hideables[kind];
		const rows = yield* newest(store).all({ limit });
		isCut ||= rows.length === limit;
		for (const row of rows.slice(0, MAX_LISTED)) {
			const { id, agentId, text, hiddenAt } = row;
			hidden.push({
				...{ kind, id, agentId, text: text ?? "" },
				hiddenAt: toTimestamp(hiddenAt ?? 0),
			});
		}
	}
	return { hidden, isCut };
}

/** Hides or shows a text of one kind, inside a change. */
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
		// Never the moment at which its creator archived it: the two times show who archived it.
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
		// Its author may have removed it since it was hidden. Then the vote can still be shown again.
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
