import type { Call } from "./call.ts";
import type { Agent, Experience } from "./entities.ts";
import { busyGuests, type HostsMove, idFor } from "./host-targets.ts";
import { Hiding } from "./host-texts.ts";
import type { Focus } from "./moments.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";
import { textFor } from "./values.ts";

const presence = [
	"GET /api/agents/:id/status",
	"GET /api/lobby",
	"GET /api/stays/current",
	"GET /api/me/overview",
];

const names = [
	"GET /api/agents/:id/status",
	"GET /api/lobby",
	"GET /api/postcards",
	"GET /api/postcards/inbox",
	"GET /api/experiences",
	"GET /api/experiences/votes/mine",
	"GET /api/me/overview",
];

/** What tells of an agent after each move that is about one. */
const tellsOfAgent: Readonly<Record<string, readonly string[]>> = {
	"check-out": presence,
	deactivate: presence,
	"reset-key": presence,
	reactivate: [...presence, "POST /api/activities/:id/do", "GET /api/stays"],
	rename: names,
	erase: [...names, "GET /api/activities/log"],
};

/** Chooses what the host does, with what mostly suits. */
export class Host {
	readonly #dice: SeededRandom;
	readonly #state: State;
	readonly #hiding: Hiding;

	constructor(dice: SeededRandom, state: State) {
		this.#dice = dice;
		this.#state = state;
		this.#hiding = new Hiding(dice, state);
	}

	/**
	 * A call of one of the host's operations.
	 * @param focus what it is about, if that is known
	 */
	call(operation: string, focus: Partial<Focus> = {}): HostsMove {
		const [, kind = "", , verb] = (operation.split(" ")[1] ?? "").split("/");
		if (kind === "agents") return this.#toAgent(operation, verb, focus.caller);
		if (verb === undefined) return { call: {} };
		return this.#hiding.call(kind, verb === "hide", focus.experience);
	}

	#toAgent(
		operation: string,
		verb: string | undefined,
		wanted: Agent | undefined,
	): HostsMove {
		if (!operation.includes(":id")) return { call: { query: this.#query() } };
		const caller = wanted ?? this.#agentFor(verb);
		const id = idFor(this.#dice, caller);
		const operations = tellsOfAgent[verb ?? ""];
		const body = { name: textFor(this.#dice, 2, 100) };
		if (verb === "erase" && caller && this.#dice.chance(0.4)) {
			// Who is erased is asked no more: the host sees what is left, and others tell of it.
			const kept = ["GET /agents/:id/export", "GET /agents/:id"];
			return { call: { id }, focus: { caller, operations: kept } };
		}
		const asker =
			verb === "erase" ? (this.#guestOf(caller) ?? this.#anybody()) : caller;
		return {
			call: { id, ...(verb === "rename" && { body }) },
			...(asker && operations && { focus: { caller: asker, operations } }),
		};
	}

	/** Mostly one with whom it can be done. */
	#agentFor(verb: string | undefined): Agent | undefined {
		const dice = this.#dice;
		const all = [...this.#state.everybody.values()];
		const gone = all.filter(({ goneAt }) => goneAt !== null);
		const active = [...this.#state.agents.values()];
		const relaxing = active.filter((agent) => this.#state.openStay(agent));
		const suits = {
			"check-out": relaxing,
			deactivate: active,
			"reset-key": active,
			rename: active,
			reactivate: gone.filter(({ isErased }) => !isErased).slice(-8),
			erase: dice.pick(
				this.#hosted(),
				this.#hidden().map(({ creator }) => creator),
				active,
				gone.slice(-8),
			),
		}[verb ?? ""];
		return dice.chance(0.85)
			? (dice.find(suits ?? all) ?? dice.find(all))
			: dice.find(all);
	}

	/** What is hidden of those who have not been erased. */
	#hidden(): Experience[] {
		return [...this.#state.made.values()].filter(
			({ hiddenAt, creator }) => hiddenAt !== null && !creator.isErased,
		);
	}

	/** Those whose experiences others are busy with. */
	#hosted(): Agent[] {
		return busyGuests(this.#state).map(({ experience }) => experience.creator);
	}

	/** Somebody who is busy with an experience of an agent. */
	#guestOf(creator: Agent | undefined): Agent | undefined {
		return busyGuests(this.#state).find(
			({ experience }) => experience.creator === creator,
		)?.guest;
	}

	/** A part of a name in any case, an id, or what nothing has; often only those who relax. */
	#query(): NonNullable<Call["query"]> {
		const dice = this.#dice;
		const { id, profile } = this.#anybody() ?? {
			id: "",
			profile: { name: "" },
		};
		const letters = [...profile.name];
		const drawn = dice.below(letters.length);
		// Letters beyond ASCII are where databases differ.
		const foreign = letters.findIndex((letter) => letter > "\x7f");
		const from = foreign >= 0 && drawn % 2 === 0 ? foreign : drawn;
		const part = letters.slice(from, from + dice.between(1, 6)).join("");
		const search = dice.pick(
			part,
			part.toUpperCase(),
			part.toLowerCase(),
			dice.pick(id, id.toUpperCase(), id.slice(0, 8)),
			dice.pick("%", "_", "!", "(erased)", "nobody", "\\"),
		);
		return [
			...(dice.chance(0.7) ? [["search", search] as const] : []),
			...(dice.chance(0.3) ? [["relaxing", "1"] as const] : []),
		];
	}

	#anybody(): Agent | undefined {
		return this.#dice.find([...this.#state.everybody.values()]);
	}
}
