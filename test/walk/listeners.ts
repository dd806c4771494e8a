import type { Answered } from "../support/calls.ts";
import type { Call } from "./call.ts";
import type { Agent } from "./entities.ts";
import { pairsOf, type Source } from "./fields.ts";
import { eventsQuery } from "./rules-events.ts";

/** Makes a call, and compares the response with that of the model. */
export type Asking = (call: Call) => Promise<Answered>;

interface Listener {
	readonly caller: Agent | null;
	readonly filter: Readonly<Record<string, unknown>>;
	cursor: string | null;
}

/** The number of clients that read new events. */
const READERS = 8;
/** The number of clients that read older events again. */
const BACK = 4;

/** Clients that read events after a cursor, with or without a filter, and sometimes read older ones again. */
export class Listeners {
	/** The cursor after the events that have already been read. */
	#cursor = "0";

	constructor(private readonly source: Source) {}

	async listen(ask: Asking): Promise<void> {
		const { dice, state } = this.source;
		if (state.chronicle.events.length === 0) return;
		const everybody = { caller: null, filter: {}, cursor: this.#cursor };
		for (let at = 0; at < READERS; at++) await this.#follow(ask, this.#reader());
		await this.#follow(ask, everybody);
		this.#cursor = everybody.cursor;
		for (let at = 0; at < BACK; at++) {
			const back = this.#lookingBack();
			if (back !== undefined) await this.#follow(ask, back, 2);
		}
		const beyond = state.chronicle.newest + dice.pick(1_000_000, 1e14);
		await ask(callOf(this.#anybody(), { since: String(beyond) }));
	}

	/** Returns a reader of older events, mostly of events whose texts have been hidden or erased since then. */
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

	#reader(): Listener {
		const { dice } = this.source;
		const drawer = { ...this.source, caller: undefined };
		const { types, ids } = eventsQuery;
		const drawn = { types: types.draw(drawer), ids: ids.draw(drawer) };
		const filter = Object.entries(drawn).filter(([, value]) => value !== undefined && dice.chance(0.5));
		return {
			caller: dice.chance(0.6) ? this.#anybody() : null,
			filter: Object.fromEntries(filter),
			cursor: dice.chance(0.9) ? this.#cursor : null,
		};
	}

	async #follow(ask: Asking, listener: Listener, pages = Number.POSITIVE_INFINITY): Promise<void> {
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
			if (status !== 200) return;
			listener.cursor = body.cursor;
			if (Number(body.cursor) >= state.chronicle.newest) return;
		}
	}

	#anybody(): Agent | null {
		const { dice, state } = this.source;
		return dice.find([...state.agents.values()]) ?? null;
	}
}

function callOf(caller: Agent | null, values: Readonly<Record<string, unknown>>): Call {
	const query = pairsOf(values);
	return caller === null
		? { operation: "GET /api/events", query }
		: { operation: "GET /api/me/events", key: caller.key, query };
}
