import { iso } from "../support/values.ts";
import type { Agent } from "./entities.ts";
import { type Expected, refusal, Some, words } from "./expected.ts";
import { type Operation, open, type Visit } from "./operation.ts";
import { answer } from "./rules-host.ts";
import type { State } from "./state.ts";

interface Thing {
	readonly id: string;
	hiddenAt: number | null;
}

/** Finds one by its id, in lower case; undefined when there is none. */
type Find = (state: State, id: string) => Thing | undefined;

const finders: Readonly<Record<string, Find>> = {
	postcard: ({ postcards }, id) => postcards.get(id),
	experience: ({ made }, id) => made.get(id),
	review: ({ votes }, id) => {
		const vote = votes.get(id);
		// One that is hidden may have been taken back since: it is there to be shown.
		return vote?.review == null && vote?.hiddenAt == null ? undefined : vote;
	},
};

/** Hiding and showing what agents wrote. */
export const hidingOperations: Record<string, Operation> = {
	...Object.fromEntries(
		Object.entries(finders).flatMap(([kind, find]) => [
			[`POST /${kind}s/:id/hide`, open({}, (visit) => set(visit, find, true))],
			[`POST /${kind}s/:id/show`, open({}, (visit) => set(visit, find, false))],
		]),
	),
	"GET /hidden": open({}, ({ state }) => answer({ hidden: hiddenOf(state) })),
};

function set(
	{ state, id, nowMs }: Visit<object>,
	find: Find,
	isHidden: boolean,
): Expected {
	const thing = find(state, id.toLowerCase());
	if (thing === undefined) return refusal(404, words);
	if ((thing.hiddenAt !== null) === isHidden) return refusal(400, words);
	const active = state.experiences.get(thing.id);
	if (active) {
		state.publish("experience.archived", active.creator, {
			experience: active,
		});
	}
	thing.hiddenAt = isHidden ? nowMs : null;
	state.listActive();
	return answer({ id: thing.id });
}

interface Hidden {
	readonly kind: string;
	readonly id: string;
	readonly agentId: string;
	readonly text: string | null;
	readonly hiddenAt: string;
}

/** All that is hidden, of each kind the newest first; what was hidden at the same moment has no order. */
function hiddenOf(state: State): Some {
	const hidden = [
		...[...state.postcards.values()].map((card) =>
			seen("postcard", card, card.sender, card.message),
		),
		...[...state.made.values()].map((experience) =>
			seen("experience", experience, experience.creator, experience.name),
		),
		...[...state.votes.values()].map((vote) =>
			seen("review", vote, vote.agent, vote.review ?? ""),
		),
	].flat();
	return new Some(`${JSON.stringify(hidden)} by kind and time`, (value) => {
		if (!Array.isArray(value) || value.length !== hidden.length) return false;
		const given: readonly Hidden[] = value;
		return (
			hidden.every((one) => given.some((other) => isSame(one, other))) &&
			given.every((one, at) => isInOrder(given[at - 1], one))
		);
	});
}

function seen(
	kind: string,
	{ id, hiddenAt }: Thing,
	{ id: agentId }: Agent,
	text: string,
): Hidden[] {
	if (hiddenAt === null) return [];
	return [{ kind, id, agentId, text, hiddenAt: iso(hiddenAt) }];
}

/** What was archived at the same moment counts as hidden a millisecond later. */
function isSame(one: Hidden, other: Hidden): boolean {
	const lateMs = Date.parse(other.hiddenAt) - Date.parse(one.hiddenAt);
	return (
		other.kind === one.kind &&
		other.id === one.id &&
		other.agentId === one.agentId &&
		(other.text ?? "") === one.text &&
		(lateMs === 0 || (lateMs === 1 && one.kind === "experience"))
	);
}

function isInOrder(one: Hidden | undefined, next: Hidden): boolean {
	if (one === undefined) return true;
	const isSameKind = one.kind === next.kind;
	const kinds = Object.keys(finders);
	return isSameKind
		? one.hiddenAt >= next.hiddenAt
		: kinds.indexOf(one.kind) < kinds.indexOf(next.kind);
}
