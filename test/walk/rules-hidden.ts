import { type Expected, refusal, words } from "./expected.ts";
import { type Operation, open, type Visit } from "./operation.ts";
import { answer } from "./rules-host.ts";
import type { State } from "./state.ts";

interface Thing {
	readonly id: string;
	hiddenAt: number | null;
}

type Find = (state: State, id: string) => Thing | undefined;

const finders: Readonly<Record<string, Find>> = {
	postcard: ({ postcards }, id) => postcards.get(id),
	experience: ({ made }, id) => made.get(id),
	review: ({ votes }, id) => {
		const vote = votes.get(id);
		// The command `show` succeeds for a hidden review even if its text has been removed since.
		return vote?.review == null && vote?.hiddenAt == null ? undefined : vote;
	},
};

/** The commands that hide and show texts of agents. */
export const hidingOperations: Record<string, Operation> = Object.fromEntries(
	Object.entries(finders).flatMap(([kind, find]) => [
		[`POST /${kind}s/:id/hide`, open({}, (visit) => set(visit, find, true))],
		[`POST /${kind}s/:id/show`, open({}, (visit) => set(visit, find, false))],
	]),
);

function set({ state, id, nowMs }: Visit<object>, find: Find, isHidden: boolean): Expected {
	const thing = find(state, id.toLowerCase());
	if (thing === undefined) return refusal(404, words);
	if ((thing.hiddenAt !== null) === isHidden) return refusal(400, words);
	const active = state.experiences.get(thing.id);
	if (active) {
		state.publish("experience.archived", active.creator, { experience: active });
	}
	thing.hiddenAt = isHidden ? nowMs : null;
	state.listActive();
	return answer({ id: thing.id });
}
