import type { Agent, Experience } from "./entities.ts";
import { busyGuests, type HostsMove, idFor } from "./host-targets.ts";
import type { Focus } from "./moments.ts";
import type { SeededRandom } from "./random.ts";
import type { State } from "./state.ts";

const board = [
	"GET /api/postcards",
	"GET /api/postcards/inbox",
	"GET /api/postcards/mine",
	"GET /api/me/overview",
];

const lists = [
	"GET /api/experiences",
	"GET /api/experiences/leaderboard",
	"GET /api/experiences/:id",
	"GET /api/experiences/votes/mine",
	"GET /api/activities/log",
	"GET /api/agents/:id/status",
	"GET /api/lobby",
	"GET /api/me/overview",
];

const reviews = [
	"GET /api/experiences/:id/votes",
	"GET /api/experiences/votes/mine",
	"GET /api/me/overview",
];

/** Chooses what the host hides and shows. */
export class Hiding {
	readonly #dice: SeededRandom;
	readonly #state: State;

	constructor(dice: SeededRandom, state: State) {
		this.#dice = dice;
		this.#state = state;
	}

	/**
	 * Hides or shows something.
	 * @param kind `postcards`, `experiences` or `reviews`
	 * @param wanted the experience that it is about, if that is known and it is about one
	 */
	call(
		kind: string,
		isToHide: boolean,
		wanted: Experience | undefined,
	): HostsMove {
		if (kind === "postcards") return this.#toPostcard(isToHide);
		if (kind === "experiences") return this.#toExperience(isToHide, wanted);
		return this.#toReview(isToHide);
	}

	#toPostcard(isToHide: boolean): HostsMove {
		const all = [...this.#state.postcards.values()];
		const postcard = this.#chosen(all, isToHide);
		const { recipient = null, sender } = postcard ?? {};
		const caller = this.#dice.pick(recipient ?? sender, sender);
		return {
			call: { id: idFor(this.#dice, postcard) },
			...(caller && { focus: { caller, operations: board } }),
		};
	}

	#toExperience(isToHide: boolean, wanted: Experience | undefined): HostsMove {
		const dice = this.#dice;
		const { made } = this.#state;
		const chosen =
			wanted ?? this.#chosen(this.#worthHiding([...made.values()]), isToHide);
		const guests = busyGuests(this.#state).filter(
			({ experience }) => experience === chosen,
		);
		if (isToHide && guests.length > 0 && dice.chance(0.4)) {
			return this.#whileBusy(guests[0]?.experience);
		}
		const caller = dice.pick(
			chosen?.creator,
			dice.find(guests)?.guest,
			dice.find(chosen?.votes ?? [])?.agent,
		);
		return this.#aboutExperience(chosen, chosen, caller, lists);
	}

	/** Hides what somebody is busy with, to show it at once, or to erase who made it. */
	#whileBusy(experience: Experience | undefined): HostsMove {
		const focus = this.#dice.weighted<Focus>([
			[3, { operations: ["POST /experiences/:id/show"] }],
			[1, { operations: ["POST /agents/:id/erase"] }],
		]);
		const caller = experience?.creator;
		return {
			call: { id: idFor(this.#dice, experience) },
			focus: {
				...focus,
				...(caller && { caller }),
				...(experience && { experience }),
			},
		};
	}

	/** Mostly those that somebody is busy with, whose creator is erased, or that are new. */
	#worthHiding(all: readonly Experience[]): readonly Experience[] {
		const busy = busyGuests(this.#state).map(({ experience }) => experience);
		return this.#dice.weighted([
			[3, all],
			[3, busy],
			[1, all.filter(({ creator }) => creator.isErased)],
			[4, all.slice(-20)],
		]);
	}

	#toReview(isToHide: boolean): HostsMove {
		const dice = this.#dice;
		const { experiences, votes } = this.#state;
		const all = [...votes.values()];
		const said = all.filter(({ review }) => review !== null);
		const vote = this.#chosen(dice.chance(0.9) ? said : all, isToHide);
		const experience = [...experiences.values()].find(
			({ votes }) => vote !== undefined && votes.includes(vote),
		);
		const caller = dice.pick(vote?.agent, experience?.creator);
		return this.#aboutExperience(vote, experience, caller, reviews);
	}

	#aboutExperience(
		named: { readonly id: string } | undefined,
		experience: Experience | undefined,
		caller: Agent | undefined,
		operations: readonly string[],
	): HostsMove {
		return {
			call: { id: idFor(this.#dice, named) },
			...(experience && {
				focus: { experience, operations, ...(caller && { caller }) },
			}),
		};
	}

	/** Mostly one that is not yet as it is to be. */
	#chosen<T extends { readonly hiddenAt: number | null }>(
		all: readonly T[],
		isToHide: boolean,
	): T | undefined {
		const dice = this.#dice;
		const suits = all.filter(
			({ hiddenAt }) => (hiddenAt === null) === isToHide,
		);
		if (!dice.chance(0.9)) return dice.find(all);
		return dice.find(dice.chance(0.6) ? suits.slice(-10) : suits);
	}
}
