import type { Agent, Experience } from "./entities.ts";
import type { Focus } from "./moments.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

/** Operations whose responses are cached. */
export const cached = [
	"GET /api/agents",
	"GET /api/agents/:id",
	"GET /api/agents/:id/status",
	"GET /api/experiences",
	"GET /api/experiences/leaderboard",
	"GET /api/experiences/:id",
	"GET /api/experiences/:id/votes",
	"GET /api/lobby",
	"GET /api/postcards",
] as const;

/** Operations whose responses show what the operator has changed. */
const shown = [
	...cached,
	"GET /api/activities/log",
	"GET /api/experiences/votes/mine",
	"GET /api/me/overview",
	"GET /api/postcards/inbox",
	"GET /api/postcards/mine",
	"GET /api/stays",
	"GET /api/stays/current",
];

interface HostsMove {
	readonly id: string;
	readonly focus?: Focus;
}

/** Chooses the target of an operator's command, usually one for which the command succeeds. */
export class Host {
	constructor(
		private readonly dice: SeededRandom,
		private readonly state: State,
	) {}

	move(operation: string, focus: Partial<Focus> = {}): HostsMove {
		const [, kind = "", , verb = ""] = operation.split("/");
		if (kind === "agents") return this.#onAgent(verb, focus.caller);
		const isToHide = verb === "hide";
		if (kind === "postcards") return this.#onPostcard(isToHide);
		if (kind === "reviews") return this.#onReview(isToHide);
		return this.#onExperience(isToHide, focus.experience);
	}

	#onAgent(verb: string, wanted: Agent | undefined): HostsMove {
		const agent = wanted ?? this.#agentFor(verb);
		// An erased agent cannot make calls. The next calls are made by a guest that is doing an experience which
		// the erased agent has created.
		const guest = this.#busy().find(({ experience }) => experience.creator === agent)?.guest;
		const caller = verb === "erase" ? (guest ?? this.#anybody()) : agent;
		return this.#moveOn(agent, caller);
	}

	#agentFor(verb: string): Agent | undefined {
		const dice = this.dice;
		const { everybody, agents, made } = this.state;
		const active = [...agents.values()];
		const gone = [...everybody.values()].filter(({ goneAt }) => goneAt !== null);
		const hidden = [...made.values()].filter(
			({ hiddenAt, creator }) => hiddenAt !== null && !creator.isErased,
		);
		const busy = this.#busy().map(({ experience }) => experience);
		const suits = {
			"check-out": active.filter((agent) => this.state.openStay(agent)),
			deactivate: active,
			"reset-key": active,
			rename: active,
			reactivate: gone.filter(({ isErased }) => !isErased).slice(-8),
			erase: dice.pick(
				busy.map(({ creator }) => creator),
				hidden.map(({ creator }) => creator),
				active,
				gone.slice(-8),
			),
		}[verb];
		const suitable = dice.find(suits ?? []);
		return dice.chance(0.85) && suitable ? suitable : this.#anybody();
	}

	#onPostcard(isToHide: boolean): HostsMove {
		const postcards = [...this.state.postcards.values()];
		const postcard = this.#chosen(postcards, isToHide);
		const { recipient, sender } = postcard ?? {};
		return this.#moveOn(postcard, this.dice.pick(recipient ?? sender, sender));
	}

	#onExperience(isToHide: boolean, wanted: Experience | undefined): HostsMove {
		const dice = this.dice;
		const all = [...this.state.made.values()];
		const busy = this.#busy();
		// Prefers new experiences, experiences that a guest is doing, and experiences of erased agents.
		const worthHiding = dice.weighted([
			[3, all],
			[3, busy.map(({ experience }) => experience)],
			[1, all.filter(({ creator }) => creator.isErased)],
			[4, all.slice(-20)],
		]);
		const experience = wanted ?? this.#chosen(worthHiding, isToHide);
		const guests = busy.filter((one) => one.experience === experience);
		const creator = experience?.creator;
		if (isToHide && guests.length > 0 && dice.chance(0.4)) {
			const next = dice.pick("experiences/:id/show", "agents/:id/erase");
			return this.#moveOn(experience, creator, experience, [`POST /${next}`]);
		}
		const voter = dice.find(experience?.votes ?? [])?.agent;
		const caller = dice.pick(creator, dice.find(guests)?.guest, voter);
		return this.#moveOn(experience, caller, experience);
	}

	#onReview(isToHide: boolean): HostsMove {
		const dice = this.dice;
		const all = [...this.state.votes.values()];
		const written = all.filter(({ review }) => review !== null);
		const vote = this.#chosen(dice.chance(0.9) ? written : all, isToHide);
		const experience = vote?.agent.votes.find((cast) => cast.vote === vote)?.experience;
		const caller = dice.pick(vote?.agent, experience?.creator);
		return this.#moveOn(vote, caller, experience);
	}

	/** Returns the target of a command, sometimes with its id in upper case or with an unknown id. */
	#moveOn(
		thing: { readonly id: string } | undefined,
		caller: Agent | undefined,
		experience?: Experience,
		operations: readonly string[] = shown,
	): HostsMove {
		const dice = this.dice;
		const id = thing?.id ?? dice.uuid(0);
		const drawn = dice.weighted([
			[90, id],
			[6, id.toUpperCase()],
			[4, dice.pick(dice.uuid(0), "nobody")],
		]);
		if (!caller) return { id: drawn };
		const focus = { caller, operations };
		return { id: drawn, focus: { ...focus, ...(experience && { experience }) } };
	}

	#chosen<T extends { readonly hiddenAt: number | null }>(
		all: readonly T[],
		isToHide: boolean,
	): T | undefined {
		const dice = this.dice;
		const suits = all.filter(({ hiddenAt }) => (hiddenAt === null) === isToHide);
		if (!dice.chance(0.9)) return dice.find(all);
		return dice.find(dice.chance(0.6) ? suits.slice(-10) : suits);
	}

	#busy(): { guest: Agent; experience: Experience }[] {
		const state = this.state;
		return [...state.agents.values()].flatMap((guest) => {
			const stay = state.openStay(guest);
			const experience = stay && state.currentCompletion(stay)?.experience;
			return experience ? [{ guest, experience }] : [];
		});
	}

	#anybody(): Agent | undefined {
		return this.dice.find([...this.state.everybody.values()]);
	}
}
