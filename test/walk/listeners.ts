import type { Answered } from "../support/resort.ts";
import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import type { SeededRandom } from "./random.ts";
import { eventTypes } from "./rules-events.ts";
import type { State } from "./state.ts";

/** Makes a call and compares its answer. */
export type Asking = (call: Call) => Promise<Answered>;

type Query = NonNullable<Call["query"]>;

/** Somebody who reads events page by page. */
interface Listener {
	/** Who asks for what concerns it; null for what everybody hears of. */
	readonly caller: Agent | null;
	readonly filter: Query;
	/** From where it goes on; null when it begins from now on. */
	cursor: string | null;
}

/** How many go on over stretches, and how many agents hear of each stretch. */
const LASTING = 6;
const OWN = 3;
/** How many look back at what was heard before, and how many pages they read. */
const BACK = 4;
const BACK_PAGES = 2;

const broken: readonly [Query, ...Query[]] = [
	[["since", ""]],
	[["since", "-1"]],
	[["since", "1".repeat(16)]],
	[["since", "1e3"]],
	[["limit", "0"]],
	[["limit", "101"]],
	[["types", ""]],
	[["types", "agent.relaxing,agent.left"]],
	[["ids", Array(101).fill("nobody").join(",")]],
	[["wait", "61"]],
];

/** Those who hear of what happens: some of each stretch as a whole, some of what fits, with their cursors. */
export class Listeners {
	readonly #dice: SeededRandom;
	readonly #state: State;
	#lasting: Listener[] = [];
	/** Up to where the stretches before have been heard. */
	#heard: string | null = null;

	constructor(dice: SeededRandom, state: State) {
		this.#dice = dice;
		this.#state = state;
	}

	/** Lets all hear of what has been read since the last time. */
	async listen(ask: Asking): Promise<void> {
		const dice = this.#dice;
		const { agents, chronicle } = this.#state;
		const [first] = chronicle.events;
		if (first === undefined) return;
		const cursor = this.#heard ?? String(first.id - 1);
		const everybody: Listener = { caller: null, filter: [], cursor };
		await this.#follow(ask, everybody, Number.POSITIVE_INFINITY);
		this.#heard = everybody.cursor;
		for (let at = 0; at < OWN; at++) {
			const caller = dice.find([...agents.values()]);
			if (caller === undefined) break;
			const own: Listener = { caller, filter: [], cursor };
			await this.#follow(ask, own, Number.POSITIVE_INFINITY);
		}
		await this.#goOn(ask);
		for (let at = 0; at < BACK; at++) {
			const back = this.#lookingBack();
			if (back !== undefined) await this.#follow(ask, back, BACK_PAGES);
		}
		const odd: Query = dice.chance(0.5)
			? [["since", String(chronicle.newest + dice.pick(1_000_000, 1e14))]]
			: dice.pick(...broken);
		await ask(callOf(dice.find([...agents.values()]) ?? null, odd));
	}

	/** Those who last read no page, some, or all that there are. */
	async #goOn(ask: Asking): Promise<void> {
		const dice = this.#dice;
		while (this.#lasting.length < LASTING) this.#lasting.push(this.#newcomer());
		const staying: Listener[] = [];
		for (const listener of this.#lasting) {
			const pages = dice.pick(0, 1, 2, Number.POSITIVE_INFINITY);
			const isHeard = await this.#follow(ask, listener, pages);
			if (isHeard && dice.chance(0.95)) staying.push(listener);
		}
		this.#lasting = staying;
	}

	/** One who reads again what was told before: mostly what the host has hidden or erased since. */
	#lookingBack(): Listener | undefined {
		const dice = this.#dice;
		const { agents, chronicle } = this.#state;
		const { events } = chronicle;
		const changed = events.filter(
			({ experience, postcard, agent }) =>
				experience?.hiddenAt != null ||
				postcard?.hiddenAt != null ||
				experience?.creator.isErased ||
				agent.isErased,
		);
		const event = dice.find(dice.chance(0.8) ? changed : events);
		if (event === undefined) return undefined;
		const { recipient, experience } = event;
		const caller = recipient ?? dice.pick(null, experience?.creator ?? null);
		return {
			caller: caller && agents.has(caller.id) ? caller : null,
			filter: this.#list("types", [event.type]),
			cursor: String(event.id - dice.between(1, 5)),
		};
	}

	#newcomer(): Listener {
		const dice = this.#dice;
		const caller = dice.find([...this.#state.agents.values()]);
		const types = Array.from({ length: dice.between(1, 4) }, () =>
			dice.pick("agent.gone", ...eventTypes),
		);
		const ids = Array.from({ length: dice.between(1, 6) }, () => {
			const id = dice.find([...this.#state.agents.keys()]) ?? "nobody";
			return dice.pick(id, id, id.toUpperCase(), "nobody");
		});
		return {
			caller: caller && dice.chance(0.5) ? caller : null,
			filter: [...this.#list("types", types), ...this.#list("ids", ids)],
			cursor: null,
		};
	}

	/** Often no list; else its entries between commas, or in parameters of their own. */
	#list(name: string, entries: readonly string[]): Query {
		if (this.#dice.chance(0.4)) return [];
		return this.#dice.chance(0.8)
			? [[name, entries.join(this.#dice.pick(",", " , ", ",,"))]]
			: entries.map((entry) => [name, entry] as const);
	}

	/**
	 * Reads on until nothing is left, or so many pages.
	 * @returns whether the listener is known
	 */
	async #follow(
		ask: Asking,
		listener: Listener,
		pages: number,
	): Promise<boolean> {
		const { caller, filter } = listener;
		const { chronicle } = this.#state;
		for (let read = 0; read < pages; read++) {
			const limit = this.#dice.pick(0, 1, 100, this.#dice.between(2, 99));
			const { status, body } = await ask(
				callOf(caller, [
					...(listener.cursor === null
						? []
						: [["since", listener.cursor] as const]),
					...(limit === 0 ? [] : [["limit", String(limit)] as const]),
					...filter,
				]),
			);
			if (status !== 200) return false;
			listener.cursor = body.cursor;
			if (Number(body.cursor) >= chronicle.newest) break;
		}
		return true;
	}
}

function callOf(caller: Agent | null, query: Query): Call {
	const asked = { query, peer: "192.0.2.1" };
	return caller === null
		? { operation: "GET /api/events", ...asked }
		: { operation: "GET /api/me/events", key: caller.key, ...asked };
}
