import type { Agent, Experience } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

/** Ids in calls: mostly of what is there, sometimes of what is gone or unknown. */
export class Targets {
	constructor(
		private readonly dice: SeededRandom,
		private readonly state: State,
	) {}

	/** The id in the path of an operation of this caller; undefined if there is none. */
	idFor(
		operation: string,
		caller: Agent | undefined,
		focus: { readonly caller?: Agent; readonly experience?: Experience } = {},
	): string | undefined {
		if (!operation.includes(":id")) return undefined;
		if (operation.includes("/blocked/")) {
			const blocked = [...(caller?.blocked.keys() ?? [])];
			return this.agentId(this.dice.find(blocked));
		}
		if (operation.includes("/agents/")) return this.agentId(focus.caller);
		if (operation.includes("/activities/")) {
			const { id } = this.dice.find(this.state.catalogue) ?? { id: "" };
			return this.dice.chance(0.95) ? id : "nothing";
		}
		if (focus.experience !== undefined) return focus.experience.id;
		return this.#experienceId(operation, caller);
	}

	agent(): Agent | undefined {
		return this.dice.find([...this.state.agents.values()]);
	}

	/** The id of an agent that may not be there. */
	agentId(agent = this.agent()): string {
		const gone = [...this.state.everybody.values()].filter(
			({ goneAt }) => goneAt !== null,
		);
		return this.#mostly(agent?.id, gone);
	}

	#experienceId(operation: string, caller: Agent | undefined): string {
		const dice = this.dice;
		const active = [...this.state.experiences.values()];
		const suits =
			caller !== undefined && dice.chance(0.88)
				? active.filter(suitable(operation, caller, dice.chance(0.7)))
				: active;
		const fresh = dice.find(dice.chance(0.7) ? suits.slice(-6) : suits);
		const { id } = fresh ?? dice.find(active) ?? {};
		const archived = [...this.state.made.values()].filter(
			({ isArchived }) => isArchived,
		);
		return this.#mostly(id, archived, "exp-");
	}

	/** An id in lower or upper case, or one of something that is gone or never was. */
	#mostly(
		id: string | undefined,
		gone: readonly { readonly id: string }[],
		prefix = "",
	): string {
		const dice = this.dice;
		const unknown = prefix + dice.uuid(this.state.nowMs);
		const known = id ?? unknown;
		return dice.weighted([
			[80, known],
			[5, prefix + known.slice(prefix.length).toUpperCase()],
			[8, dice.find(gone.slice(-20))?.id ?? unknown],
			[4, unknown],
		]);
	}
}

/** Whether a caller would choose an experience for an operation; one that is picky prefers what few have done. */
function suitable(
	operation: string,
	caller: Agent,
	isPicky: boolean,
): (experience: Experience) => boolean {
	const isDone = (one: Experience) =>
		caller.log.some(({ experience }) => experience === one);
	const isRated = ({ votes }: Experience) =>
		votes.some(({ agent }) => agent === caller);
	if (operation.startsWith("DELETE"))
		return ({ creator }) => creator === caller;
	if (operation.endsWith("/do")) {
		return (one) => !isPicky || (one.completions < 6 && !isDone(one));
	}
	if (operation.endsWith("/vote")) {
		return (one) =>
			isDone(one) && (!isPicky || (one.votes.length < 4 && !isRated(one)));
	}
	return () => true;
}
