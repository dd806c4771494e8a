/** Hiding the texts of agents, and showing them again. */
import { DAY_MS, MINUTE_MS, toTimestamp } from "../lib/clock.ts";
import { invalid, ResortError } from "../lib/resort-error.ts";
import { HIDDEN } from "../resort/events/event-info.ts";
import { publish } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { EXTERNAL_CHANGE } from "../store/store.ts";
import type { Task } from "../store/task.ts";
import { getAnyAgent } from "./agent-reports.ts";
import { type HideableText, hideables, nameActivity } from "./queries.ts";

/** How far the clock may be set back without an ended activity showing its old name again. */
const CLOCK_SLACK_MS = DAY_MS;

/** A kind of text that can be hidden. */
export type Kind = keyof typeof hideables;

/**
 * Removes a text from every public place, or puts it back. Its author always sees it.
 * @returns also whether an experience is archived, because it is hidden or by its creator
 * @throws ResortError `not_found`; `invalid` if it is hidden or shown already
 */
export function setHidden(
	context: ServiceContext,
	kind: Kind,
	anyCaseId: string,
	isHidden: boolean,
) {
	const { store, clock } = context;
	const id = anyCaseId.toLowerCase();
	return store.write(function* () {
		const { one, setHiddenAt } = hideables[kind];
		const text = requireOther(kind, isHidden, yield* one(store).get({ id }));
		const { agentId } = text;
		const times =
			kind === "experience"
				? yield* moderateExperience(context, text, isHidden)
				: { hiddenAt: isHidden ? clock() : null };
		yield* setHiddenAt(store).run({ id, ...times });
		// Any cached response may contain it.
		yield* store.publish(EXTERNAL_CHANGE);
		const { name: agentName } = yield* getAnyAgent(store, agentId);
		const isArchived =
			"archivedAt" in times ? times.archivedAt !== null : undefined;
		return { kind, id, agentName, agentId, isArchived };
	});
}

/** Renames an experience where agents are busy with it, and returns when it is hidden and archived from now on. */
function* moderateExperience(
	{ store, clock }: ServiceContext,
	{ id, agentId, text, durationMinutes, ...before }: HideableText,
	isHidden: boolean,
): Task<Pick<HideableText, "hiddenAt" | "archivedAt">> {
	const { hiddenAt, archivedAt } = before;
	const at = clock();
	const since = at - durationMinutes * MINUTE_MS - CLOCK_SLACK_MS;
	const activityName = isHidden ? HIDDEN : text;
	yield* nameActivity(store).run({ id, since, activityName });
	if (!isHidden) {
		// It stays archived if its creator archived it.
		const isByHost = archivedAt === hiddenAt;
		return { hiddenAt: null, archivedAt: isByHost ? null : archivedAt };
	}
	if (archivedAt !== null) {
		// Never the moment at which its creator archived it: the two times show who archived it.
		return { hiddenAt: Math.max(at, archivedAt + 1), archivedAt };
	}
	const type = "experience.archived";
	yield* publish(store, { type, at, agentId, subjectId: id });
	return { hiddenAt: at, archivedAt: at };
}

/** Lists the hidden texts with the ids of their authors, the newest of each kind first. */
export async function listHidden({ store }: ServiceContext) {
	return store.read(function* () {
		const hidden = [];
		for (const kind of Object.keys(hideables)) {
			const { newest } = hideables[kind as Kind];
			const rows = yield* newest(store).all({});
			for (const { id, agentId, text, hiddenAt } of rows) {
				const time = toTimestamp(hiddenAt ?? 0);
				hidden.push({ kind, id, agentId, text: text ?? "", hiddenAt: time });
			}
		}
		return { hidden };
	});
}

/** @throws ResortError as {@link setHidden} */
function requireOther(
	kind: Kind,
	isHidden: boolean,
	row: HideableText | undefined,
): HideableText {
	// Its author may have removed a review since it was hidden. Then the vote can still be shown again.
	if (row === undefined || (row.text ?? row.hiddenAt) === null) {
		const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
		throw new ResortError("not_found", `${name} not found`);
	}
	if ((row.hiddenAt !== null) === isHidden) {
		const state = isHidden ? "already hidden" : "not hidden";
		throw invalid(`The ${kind} is ${state}`);
	}
	return row;
}
