import { DAY_MS, MINUTE_MS, toTimestamp } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import { HIDDEN } from "../resort/events/event-info.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { getAnyAgent } from "./agent-reports.ts";
import {
	hideables,
	hideExperience,
	nameActivity,
	showExperience,
} from "./queries.ts";

/** The most texts of each kind in the list of hidden ones. */
const MAX_LISTED = 1_000;

/** How far the clock may be set back without an ended activity showing its old name again. */
const CLOCK_SLACK_MS = DAY_MS;

const kinds = ["postcard", "experience", "review"] as const;
/** A kind of text that can be hidden. */
export type Kind = (typeof kinds)[number];

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
		const set = yield* setHiddenOf(context, kind, id.toLowerCase(), isHidden);
		// Any cached response may contain it.
		yield* store.publish(EXTERNAL_CHANGE);
		const { name } = yield* getAnyAgent(store, set.agentId);
		return { kind, id: id.toLowerCase(), agentName: name, ...set };
	});
}

/** Lists the hidden texts with the ids of their authors, the newest of each kind first, and whether the list was cut. */
export async function listHidden({ store }: ServiceContext) {
	return store.read(function* () {
		const limit = MAX_LISTED + 1;
		const hidden = [];
		let isCut = false;
		for (const kind of kinds) {
			const { newest } = hideables[kind];
			const rows = yield* newest(store).all({ limit });
			isCut ||= rows.length === limit;
			for (const { id, agentId, text, hiddenAt } of rows.slice(0, MAX_LISTED)) {
				const time = toTimestamp(hiddenAt ?? 0);
				hidden.push({ kind, id, agentId, text: text ?? "", hiddenAt: time });
			}
		}
		return { hidden, isCut };
	});
}

/** Hides or shows a text of one kind, inside a change. */
function* setHiddenOf(
	context: ServiceContext,
	kind: Kind,
	id: string,
	isHidden: boolean,
): Task<Pick<Moderated, "agentId" | "isArchived">> {
	const { store, clock } = context;
	if (kind === "experience") {
		return yield* setExperienceHidden(context, id, isHidden);
	}
	const { one, setHiddenAt } = hideables[kind];
	const { agentId } = requireOther(
		kind,
		isHidden,
		yield* one(store).get({ id }),
	);
	yield* setHiddenAt(store).run({ id, hiddenAt: isHidden ? clock() : null });
	return { agentId };
}

function* setExperienceHidden(
	{ store, clock }: ServiceContext,
	id: string,
	isHidden: boolean,
): Task<Pick<Moderated, "agentId" | "isArchived">> {
	const { one } = hideables.experience;
	const row = yield* one(store).get({ id });
	const found = requireOther("experience", isHidden, row);
	const { agentId, archivedAt } = found;
	const at = clock();
	const since = at - found.durationMinutes * MINUTE_MS - CLOCK_SLACK_MS;
	if (!isHidden) {
		yield* showExperience(store).run({ id });
		yield* nameActivity(store).run({ id, since, activityName: found.text });
		return { agentId, isArchived: archivedAt !== found.hiddenAt };
	}
	// Never the moment at which its creator archived it: the two times show who archived it.
	const hiddenAt = archivedAt === null ? at : Math.max(at, archivedAt + 1);
	yield* hideExperience(store).run({ id, hiddenAt });
	yield* nameActivity(store).run({ id, since, activityName: HIDDEN });
	if (archivedAt === null) {
		const type = "experience.archived";
		yield* publish(store, { type, at, agentId, subjectId: id });
	}
	return { agentId, isArchived: true };
}

/** @throws ResortError as {@link setHidden} */
function requireOther<
	T extends { readonly text: string | null; readonly hiddenAt: number | null },
>(kind: Kind, isHidden: boolean, found: T | undefined): T {
	// Its author may have removed a review since it was hidden. Then the vote can still be shown again.
	if (found === undefined || (found.text ?? found.hiddenAt) === null) {
		const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
		throw new ResortError("not_found", `${name} not found`);
	}
	if ((found.hiddenAt !== null) === isHidden) {
		const state = isHidden ? "hidden already" : "not hidden";
		throw new ResortError("invalid", `The ${kind} is ${state}`);
	}
	return found;
}
