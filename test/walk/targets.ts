import { forged, unknownKey } from "../support/api-key.ts";
import type { Call } from "./call.ts";
import type { Agent, Experience } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

/** The credential of a call. */
export type Credential = Pick<Call, "key" | "session">;

/** Chooses ids and credentials for calls: mostly valid ones, sometimes deleted or unknown ones. */
export class Targets {
	constructor(
		private readonly dice: SeededRandom,
		private readonly state: State,
	) {}

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

	agentId(agent = this.agent()): string {
		const gone = [...this.state.everybody.values()].filter(({ goneAt }) => goneAt !== null);
		return this.#mostly(agent?.id, gone);
	}

	/** Returns an agent's credential: usually a valid one. */
	credential(agent: Agent | undefined): Credential {
		const dice = this.dice;
		if (agent === undefined || dice.chance(0.05)) {
			return dice.pick<Credential>(
				{},
				{ key: this.doubtfulKey(agent) },
				{ session: dice.find(this.state.formerSessions.slice(-20)) ?? "none" },
			);
		}
		const { key } = agent;
		const session = this.session(agent);
		if (session === undefined || dice.chance(0.7)) return { key };
		const endsAt = this.state.sessions.get(session)?.endsAt ?? 0;
		const hasEnded = endsAt <= this.state.nowMs;
		return hasEnded && dice.chance(0.9) ? { key } : { session };
	}

	session(agent: Agent | undefined): string | undefined {
		return this.dice.find(agent?.sessions.slice(-3) ?? []);
	}

	doubtfulKey(agent: Agent | undefined): string {
		const key = agent?.key ?? "ar_nobody_nothing";
		const former = this.dice.find(this.state.formerKeys.slice(-20));
		return this.dice.pick(forged(key), unknownKey(key), former ?? key);
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
		const archived = [...this.state.made.values()].filter(({ isArchived }) => isArchived);
		return this.#mostly(id, archived, "exp-");
	}

	#mostly(id: string | undefined, gone: readonly { readonly id: string }[], prefix = ""): string {
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

/**
 * Returns a function that selects suitable experiences for an operation. A picky caller selects only
 * experiences with few completions and votes.
 */
function suitable(operation: string, caller: Agent, isPicky: boolean): (experience: Experience) => boolean {
	const isDone = (one: Experience) => caller.log.some(({ experience }) => experience === one);
	const isRated = ({ votes }: Experience) => votes.some(({ agent }) => agent === caller);
	if (operation.startsWith("DELETE")) return ({ creator }) => creator === caller;
	if (operation.endsWith("/do")) {
		return (one) => !isPicky || (one.completions < 6 && !isDone(one));
	}
	if (operation.endsWith("/vote")) {
		return (one) => isDone(one) && (!isPicky || (one.votes.length < 4 && !isRated(one)));
	}
	return () => true;
}
