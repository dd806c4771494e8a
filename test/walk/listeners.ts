import type { Answered } from "../support/resort.ts";
import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import { pairsOf, type Source } from "./fields.ts";
import { eventsQuery } from "./rules-events.ts";

/** Makes a call and compares its answer. */
export type Asking = (call: Call) => Promise<Answered>;

/** Somebody who reads events page by page. */
interface Listener {
	/** Who reads its own events; null for one that reads the public ones. */
	readonly caller: Agent | null;
	readonly filter: Readonly<Record<string, unknown>>;
	cursor: string | null;
	isLeaving?: boolean;
}

/** How many go on over stretches, read each stretch as an agent, and read again what is older. */
const LASTING = 6;
const OWN = 3;
const BACK = 4;

/** Readers of events: some of each stretch as a whole, some with a filter and a cursor of their own. */
export class Listeners {
	#lasting: Listener[] = [];
	/** Up to where the stretches before have been read. */
	#cursor = "0";

	constructor(private readonly source: Source) {}

	/** Lets all read what has been added since the last time. */
	async listen(ask: Asking): Promise<void> {
		const { dice, state } = this.source;
		if (state.chronicle.events.length === 0) return;
		const cursor = this.#cursor;
		for (let at = 0; at < OWN; at++) {
			const caller = this.#anybody();
			await this.#follow(ask, { caller, filter: {}, cursor });
		}
		const everybody = { caller: null, filter: {}, cursor };
		await this.#follow(ask, everybody);
		this.#cursor = everybody.cursor;
		while (this.#lasting.length < LASTING) this.#lasting.push(this.#newcomer());
		for (const listener of this.#lasting) {
			const pages = dice.pick(0, 1, 2, Number.POSITIVE_INFINITY);
			const isKnown = await this.#follow(ask, listener, pages);
			listener.isLeaving = !isKnown || dice.chance(0.05);
		}
		this.#lasting = this.#lasting.filter(({ isLeaving }) => !isLeaving);
		for (let at = 0; at < BACK; at++) {
			const back = this.#lookingBack();
			if (back !== undefined) await this.#follow(ask, back, 2);
		}
		const beyond = state.chronicle.newest + dice.pick(1_000_000, 1e14);
		await ask(callOf(this.#anybody(), { since: String(beyond) }));
	}

	/** One who reads older events again: mostly those whose texts the host has hidden or erased since. */
	#lookingBack(): Listener | undefined {
		const { dice, state } = this.source;
		const { events } = state.chronicle;
		const changed = events.filter(
			({ experience, postcard, agent }) =>
				experience?.hiddenAt != null ||
				postcard?.hiddenAt != null ||
				experience?.creator.isErased ||
				agent.isErased,
		);
		const event = dice.find(dice.chance(0.8) ? changed : events);
		if (event === undefined) return undefined;
		const { recipient, experience, type, id } = event;
		const caller = recipient ?? dice.pick(null, experience?.creator ?? null);
		return {
			caller: caller && state.agents.has(caller.id) ? caller : null,
			filter: dice.chance(0.6) ? { types: type } : {},
			cursor: String(Math.max(0, id - dice.between(1, 5))),
		};
	}

	#newcomer(): Listener {
		const drawer = { ...this.source, caller: undefined };
		const { types, ids } = eventsQuery;
		const drawn = { types: types.draw(drawer), ids: ids.draw(drawer) };
		return {
			caller: drawer.dice.chance(0.5) ? this.#anybody() : null,
			filter: Object.fromEntries(
				Object.entries(drawn).filter(([, value]) => value !== undefined),
			),
			cursor: null,
		};
	}

	/** Reads until nothing is left, or so many pages; whether the listener is known. */
	async #follow(
		ask: Asking,
		listener: Listener,
		pages = Number.POSITIVE_INFINITY,
	): Promise<boolean> {
		const { caller, filter } = listener;
		const { dice, state } = this.source;
		for (let read = 0; read < pages; read++) {
			const limit = dice.pick(0, 1, 100, dice.between(2, 99));
			const { status, body } = await ask(
				callOf(caller, {
					...(listener.cursor !== null && { since: listener.cursor }),
					...(limit > 0 && { limit }),
					...filter,
				}),
			);
			if (status !== 200) return false;
			listener.cursor = body.cursor;
			if (Number(body.cursor) >= state.chronicle.newest) break;
		}
		return true;
	}

	#anybody(): Agent | null {
		const { dice, state } = this.source;
		return dice.find([...state.agents.values()]) ?? null;
	}
}

function callOf(
	caller: Agent | null,
	values: Readonly<Record<string, unknown>>,
): Call {
	const common = { query: pairsOf(values), peer: "192.0.2.1" };
	return caller === null
		? { operation: "GET /api/events", ...common }
		: { operation: "GET /api/me/events", key: caller.key, ...common };
}
