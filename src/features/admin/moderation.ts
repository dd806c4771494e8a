/** Hides texts of agents, and shows them again. */
import { DAY_MS, HOUR_MS, toTimestamp } from "../../core/lib/clock.ts";
import { invalid, ResortError } from "../../core/lib/resort-error.ts";
import type { Agent } from "../../core/resort/agents/service.ts";
import { HIDDEN } from "../../core/resort/events/event-info.ts";
import { publish, publishInternal } from "../../core/resort/events/publish.ts";
import { readPage } from "../../core/resort/lists.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { requireRow } from "../../core/store/query.ts";
import { EXTERNAL_CHANGE } from "../../core/store/store.ts";
import type { Task } from "../../core/store/task.ts";
import { getAnyAgent, lockAgent } from "./any-agent.ts";
import type { Arguments } from "./arguments.ts";
import { changeRows } from "./change-rows.ts";
import { isErased } from "./erasures.ts";
import { type AdminContext, record } from "./history.ts";
import { type Hideable, type HideableText, hiddenAgents, nameActivity, setTextsHiddenAt } from "./queries.ts";

/**
 * When an experience is hidden, its name is replaced in the activities that began at most this long ago. An
 * activity is current for at most 8 hours. The additional day covers activities that become current again
 * because the clock is set back.
 */
const RECENT_MS = DAY_MS + 8 * HOUR_MS;

/**
 * Returns the queries for a kind of text.
 * @throws Error for an unknown kind, which the command line has already refused
 */
export function hideableOf({ personalData }: AdminContext, kind: string): Hideable {
	const found = personalData.hideables.get(kind);
	if (found === undefined) throw new Error(`no texts of the kind ${kind}`);
	return found;
}

/**
 * Hides a text in every public place, or shows it again. The author can always see it.
 * @returns the text and its author. `isArchived`: whether an experience is archived now, by hiding or by its
 * creator
 * @throws ResortError `not_found`; `invalid` if the text is already hidden or already shown
 */
export function setHidden(context: AdminContext, kind: string, anyCaseId: string, isHidden: boolean) {
	const { store, clock } = context;
	const id = anyCaseId.toLowerCase();
	return record(context, function* () {
		const { found, one } = hideableOf(context, kind);
		const { agentId } = requireText(kind, yield* found(store).get({ id }));
		// Locks the author before the text, as all changes to an agent's data do.
		const author = yield* lockAgent(store, agentId);
		const text = requireText(kind, yield* one(store).get({ id }));
		if ((text.hiddenAt !== null) === isHidden) {
			throw invalid(`The ${kind} is ${isHidden ? "already hidden" : "not hidden"}`);
		}
		const hiddenAt = isHidden ? clock() : null;
		const archivedAt = yield* moderate(context, author, { kind, text, hiddenAt });
		const isArchived = kind === "experience" ? archivedAt !== null : undefined;
		return { kind, id, agentName: author.name, agentId, isArchived };
	});
}

/**
 * Hides the profile (but not the name) and all texts of an agent, or shows them again, except texts that were
 * hidden individually. To complete an interrupted command, repeat it. Repeating `hide agent` also hides what
 * the agent has written since.
 * @returns the number of texts by kind, including those that another command has hidden or shown meanwhile
 * @throws ResortError `not_found`; `invalid` if the texts are to be shown, but `hide agent` has not hidden
 * them
 */
export async function setAllHidden(context: AdminContext, anyCaseId: string, isHidden: boolean) {
	const { store, clock } = context;
	function* setProfileHidden(id: string, textsHiddenAt: number | null) {
		yield* setTextsHiddenAt(store).run({ id, textsHiddenAt });
		yield* publishInternal(store, "agent.changed", id);
	}
	const { id, name, hiddenAt } = await record(context, function* () {
		const { id, name, textsHiddenAt } = yield* lockAgent(store, anyCaseId);
		const hiddenAt = textsHiddenAt ?? clock();
		if (isHidden) yield* setProfileHidden(id, hiddenAt);
		else if (textsHiddenAt === null) {
			throw invalid("The agent's texts are not hidden", {
				hint: "show agent restores only texts that hide agent hid. resort admin hidden lists all hidden texts.",
			});
		}
		return { id, name, hiddenAt };
	});
	const [before, after] = isHidden ? [null, hiddenAt] : [hiddenAt, null];
	const counts: Record<string, number> = {};
	for (const [kind, { shownOf, hiddenOf, one }] of context.personalData.hideables) {
		const texts = isHidden ? shownOf : hiddenOf;
		const rows = await store.read(() => texts(store).all({ agentId: id, hiddenAt }));
		await changeRows(store, id, rows, function* (row, author) {
			const text = requireRow(yield* one(store).get(row));
			// Another command may have hidden or shown the text in the meantime.
			if (text.hiddenAt === before) yield* moderate(context, author, { kind, text, hiddenAt: after });
		});
		counts[kind] = rows.length;
	}
	if (!isHidden) await store.write(() => setProfileHidden(id, null));
	return { id, name, ...counts };
}

/**
 * Hides a text, or shows it if `hiddenAt` is null. Call it inside a transaction.
 * @returns the new `archivedAt` of an experience; null for other texts
 */
function* moderate(
	context: AdminContext,
	author: Agent,
	change: Readonly<{ kind: string; text: HideableText; hiddenAt: number | null }>,
): Task<number | null> {
	const { store } = context;
	const { kind, text, hiddenAt } = change;
	const isExperience = kind === "experience";
	const archivedAt = isExperience ? yield* moderateExperience(context, author, text, hiddenAt) : null;
	const { setHiddenAt } = hideableOf(context, kind);
	yield* setHiddenAt(store).run({ id: text.id, hiddenAt, archivedAt });
	// Invalidates all caches, because any cached response may contain the text.
	yield* store.publish(EXTERNAL_CHANGE);
	return archivedAt;
}

/**
 * Updates the name of an experience in current and recent activities. Hiding an active experience also
 * publishes `experience.archived`. Returns the new `archivedAt`, which the caller must store.
 */
function* moderateExperience(
	{ store, clock }: ServiceContext,
	author: Agent,
	{ id, agentId, text, ...before }: HideableText,
	hiddenAt: number | null,
): Task<number | null> {
	const { archivedAt } = before;
	const at = clock();
	const activityName = hiddenAt === null ? text : HIDDEN;
	yield* nameActivity(store).run({ id, since: at - RECENT_MS, activityName });
	if (hiddenAt === null) {
		// Hiding archives an experience at `hiddenAt`. If the times differ, its creator has archived it, and it
		// stays archived. So does an experience of an erased creator.
		const isActive = archivedAt === before.hiddenAt && !isErased(author);
		return isActive ? null : archivedAt;
	}
	if (archivedAt !== null) return archivedAt;
	const type = "experience.archived";
	yield* publish(store, { type, at, agentId, subjectId: id });
	return hiddenAt;
}

/**
 * Returns a page of the agents that `hide agent` has hidden, with their bios, followed by the hidden texts
 * with their authors. For each kind, the most recently hidden come first.
 */
export async function listHidden({ store, personalData }: AdminContext, { limit, offset }: Arguments) {
	return store.read(function* () {
		const hidden = [];
		let total = 0;
		let left = limit;
		const lists = [...personalData.hideables].map(([kind, { hidden }]) => ({ kind, list: hidden }));
		for (const { kind, list } of [{ kind: "agent", list: hiddenAgents }, ...lists]) {
			const page = { limit: left, offset: Math.max(0, offset - total) };
			const found = yield* readPage(store, list, {}, page);
			for (const { id, agentId, agentName, text, about, hiddenAt } of found.entries) {
				const time = toTimestamp(hiddenAt ?? 0);
				hidden.push({ kind, id, agentId, agentName, text: text ?? "", about, hiddenAt: time });
			}
			left -= found.entries.length;
			total += found.total;
		}
		return { hidden, total, offset };
	});
}

/** Returns a text and its author. @throws ResortError `not_found` */
export function* findText(context: AdminContext, kind: string, anyCaseId: string) {
	const { store } = context;
	const { found } = hideableOf(context, kind);
	const { agentId, text } = requireText(kind, yield* found(store).get({ id: anyCaseId.toLowerCase() }));
	return { agent: yield* getAnyAgent(store, agentId), text };
}

/** Counts the texts of an agent by kind: those hidden at `hiddenAt`, or those shown if `hiddenAt` is null. */
export function* countTexts({ store, personalData }: AdminContext, agentId: string, hiddenAt: number | null) {
	const counts: Record<string, number> = {};
	for (const [kind, { shownOf, hiddenOf }] of personalData.hideables) {
		const texts = hiddenAt === null ? shownOf : hiddenOf;
		const { length } = yield* texts(store).all({ agentId, hiddenAt });
		if (length > 0) counts[kind] = length;
	}
	return counts;
}

/**
 * Returns a text that a query has found.
 * @throws ResortError `not_found` if there is no row, or if it has neither a text nor a `hiddenAt`
 */
function requireText(kind: string, row: HideableText | undefined): HideableText {
	// If the author removes a hidden review, the vote stays hidden, and the host can show it again.
	if (row !== undefined && (row.text ?? row.hiddenAt) !== null) return row;
	const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
	throw new ResortError("not_found", `${name} not found`);
}
