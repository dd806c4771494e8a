import type { Agent, Experience } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";
import { Remains } from "./who.ts";

/** Things that calls name: mostly there, sometimes gone, unknown or no id at all. */
export class Targets {
	readonly #dice: SeededRandom;
	readonly #state: State;
	readonly #archived = new Remains();
	readonly #gone = new Remains();

	constructor(dice: SeededRandom, state: State) {
		this.#dice = dice;
		this.#state = state;
	}

	/**
	 * What stands for `:id` in an operation of this caller; undefined when nothing does.
	 * @param wanted the agent or the experience that it is about, if it is known
	 */
	idFor(
		operation: string,
		caller: Agent | undefined,
		wanted: { readonly agent?: Agent; readonly experience?: Experience } = {},
	): string | undefined {
		if (!operation.includes(":id")) return undefined;
		if (operation.includes("/agents/")) return this.agentId(wanted.agent);
		if (operation.includes("/activities/")) return this.#activityId();
		if (wanted.experience !== undefined) return wanted.experience.id;
		const id = this.#experienceId(operation, caller);
		if (operation.startsWith("DELETE")) this.#archived.note(id);
		return id;
	}

	/** An agent that is there, or undefined when there is none. */
	agent(): Agent | undefined {
		return this.#dice.find([...this.#state.agents.values()]);
	}

	/** The id of an agent, in lower or upper case, that may not be there. */
	agentId(wanted = this.agent()): string {
		const dice = this.#dice;
		const known = wanted?.id ?? dice.uuid(0);
		return dice.weighted([
			[80, known],
			[5, known.toUpperCase()],
			[10, this.#gone.find(dice) ?? dice.uuid(0)],
			[5, dice.uuid(this.#state.nowMs)],
			[3, dice.pick("nobody", known.slice(1), `${known}0`, "%00", "null")],
		]);
	}

	/** Notes an agent that is about to go. */
	noteGone(agent: Agent | undefined): void {
		if (agent) this.#gone.note(agent.id);
	}

	#activityId(): string {
		const { id } = this.#dice.find(this.#state.catalogue) ?? { id: "" };
		return this.#dice.chance(0.94)
			? id
			: this.#dice.pick("nothing", `${id}s`, "%00", this.#dice.uuid(0));
	}

	#experienceId(operation: string, caller: Agent | undefined): string {
		const dice = this.#dice;
		const active = [...this.#state.experiences.values()];
		const suits =
			caller !== undefined && dice.chance(0.88)
				? active.filter(suitable(operation, caller, dice.chance(0.7)))
				: active;
		const fresh = dice.find(suits.slice(-6)) ?? dice.find(active);
		const known = fresh?.id ?? `exp-${dice.uuid(0)}`;
		return dice.weighted([
			[60, known],
			[25, dice.find(suits)?.id ?? known],
			[6, `exp-${known.slice(4).toUpperCase()}`],
			[5, this.#archived.find(dice) ?? known],
			[3, `exp-${dice.uuid(0)}`],
			[2, dice.pick("exp-", "nothing", known.slice(4), `${known}0`)],
		]);
	}
}

/**
 * Whether an experience is one that a caller would choose for an operation.
 * @param isPicky whether it does and rates only what it has not, and what few others have
 */
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
