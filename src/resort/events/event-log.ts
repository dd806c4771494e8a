import { setImmediate } from "node:timers/promises";
/**
 * Whoever waits for events hears of them here: the newest ones are read from the database once, for all who wait.
 * Nothing is read while nobody waits.
 */

import type { WaitSignal } from "../../lib/wait-signal.ts";
import { afterCommit } from "../../store/after-commit.ts";
import { SLICE } from "../../store/page.ts";
import {
	EXTERNAL_CHANGE,
	type Store,
	type StoreEvent,
} from "../../store/store.ts";
import { type Filter, isFor, type Judged } from "./filter.ts";
import { readEvents } from "./info.ts";
import type { EventInfo } from "./model.ts";
import { type EventType, eventTypes } from "./publish.ts";
import { nextEvents } from "./queries.ts";
import { type Found, searchEvents } from "./search.ts";

/** How many of the newest events are remembered. */
const REMEMBERED = 2_048;

/** How often it is looked for changes of other instances. */
const LOOK_MS = 100;

/** When it is looked again for an own event that was not final yet. */
const SOON_MS = 10;

const kept: ReadonlySet<string> = new Set(eventTypes);

/** News after which an event is told in another way: names are those of the moment. */
const renaming: ReadonlySet<string> = new Set<EventType>([
	"agent.gone",
	"agent.changed",
]);

/** What waits for events: it is woken when there may be some, and ended when the instance stops. */
export type Subscriber = Pick<WaitSignal, "wake" | "end">;

interface Remembered {
	readonly id: number;
	readonly judged: Judged;
	readonly info: EventInfo;
}

/** One reader of the events that fit. */
export interface Subscription {
	/** The last id that was looked at for it: it rises also by itself, while no event fits. */
	readonly cursor: number;
	/**
	 * Finds the newest id, and begins there.
	 * @throws ResortError `unavailable`
	 */
	start(): Promise<void>;
	/**
	 * The first events after an id that fit, usually after its cursor; none when there are none yet.
	 * @param limit 1 to 100
	 * @throws ResortError `unavailable`
	 */
	next(since: number, limit: number): Promise<Found>;
	/** Lets go; must be called. */
	end(): void;
}

/** A follower as the tail knows it. */
interface Following {
	readonly waiting: Subscriber;
	readonly filter: Filter;
	cursor: number;
}

/** The newest events of a store, for all who follow them. */
export class EventLog {
	readonly #store: Store;
	readonly #followers = new Set<Following>();
	/** The newest events, oldest first, without a gap from after `#from` up to `#position`. */
	#events: Remembered[] = [];
	#from = 0;
	#position = 0;
	/** The greatest id that was ever given, as far as it is known. */
	#newest = 0;
	/** Why the last reading failed; null when it did not. */
	#failure: unknown = null;
	/** Resolves when it knows where the events end; null while nobody follows them. */
	#begun: Promise<void> | null = null;
	/** How often what is remembered was dropped: what was being read meanwhile is dropped too. */
	#drops = 0;
	#pulling: Promise<void> | null = null;
	#isAsked = false;
	#isExpecting = false;
	#looking: Timer | null = null;
	#isEnded = false;

	constructor(store: Store) {
		this.#store = store;
		store.subscribe((news) => this.#hear(news));
	}

	/**
	 * Begins to follow the events.
	 * @param waiting is woken when there are events that fit, or when that must be looked for
	 */
	subscribe(waiting: Subscriber, filter: Filter): Subscription {
		const following: Following = { waiting, filter, cursor: -1 };
		this.#followers.add(following);
		if (this.#isEnded) waiting.end();
		this.#looking ??= setInterval(
			() => this.#store.withDeadline(() => this.#look()),
			LOOK_MS,
		);
		return {
			get cursor() {
				return following.cursor;
			},
			start: async () => {
				await this.#begin();
				following.cursor = this.#position;
			},
			next: async (since, limit) => {
				const found = await this.#next(since, filter, limit);
				following.cursor = found.cursor;
				return found;
			},
			end: () => this.#leave(following),
		};
	}

	/** Ends all who wait, and all who will. */
	end(): void {
		this.#isEnded = true;
		for (const { waiting } of this.#followers) waiting.end();
	}

	#leave(following: Following): void {
		this.#followers.delete(following);
		if (this.#followers.size > 0) return;
		this.#begun = null;
		this.#drop();
		if (this.#looking !== null) clearInterval(this.#looking);
		this.#looking = null;
	}

	#hear({ type }: StoreEvent): void {
		if (this.#begun === null) return;
		if (type === EXTERNAL_CHANGE.type || renaming.has(type)) this.#drop();
		if (kept.has(type)) afterCommit(() => this.#expect());
	}

	/** Drops what is remembered: whoever is behind reads it from the database. */
	#drop(): void {
		this.#events = [];
		this.#from = this.#position;
		this.#drops++;
	}

	/** Pulls until there is something new: on PostgreSQL an event is not final while others are being written. */
	async #expect(): Promise<void> {
		const before = this.#position;
		await this.#pull();
		if (!this.#store.isShared || this.#isExpecting) return;
		this.#isExpecting = true;
		for (let ms = 0; ms < LOOK_MS && this.#position === before; ms += SOON_MS) {
			await Bun.sleep(SOON_MS);
			await this.#pull();
		}
		this.#isExpecting = false;
	}

	#begin(): Promise<void> {
		this.#begun ??= this.#findEnd().then(
			() => {
				// Nobody follows any more: the next one begins anew.
				if (this.#followers.size === 0) this.#begun = null;
			},
			(error) => {
				this.#begun = null;
				throw error;
			},
		);
		return this.#begun;
	}

	async #findEnd(): Promise<void> {
		const { final, newest } = await this.#read(async () =>
			this.#store.read(() => this.#store.eventWatermarks()),
		);
		this.#position = final;
		this.#newest = newest;
		this.#drop();
	}

	async #look(): Promise<void> {
		await this.#store.checkFreshness();
		await this.#pull();
	}

	/** Reads what is new; whoever asks meanwhile gets another reading after it. */
	#pull(): Promise<void> {
		this.#isAsked = true;
		this.#pulling ??= this.#pullAll().finally(() => {
			this.#pulling = null;
		});
		return this.#pulling;
	}

	async #pullAll(): Promise<void> {
		while (this.#isAsked && this.#begun !== null) {
			this.#isAsked = false;
			try {
				await this.#begun;
				await this.#read(() => this.#pullSome());
				this.#failure = null;
			} catch (error) {
				// The storage does not answer. Whoever asks for more learns of it.
				this.#failure = error;
			}
			if (this.#isAsked) await setImmediate();
		}
	}

	async #pullSome(): Promise<void> {
		const before = this.#position;
		const drops = this.#drops;
		const { horizon, position, events } = await this.#ask(before);
		if (this.#drops !== drops) {
			this.#isAsked = true;
			return;
		}
		const { final, newest } = horizon;
		this.#newest = newest;
		if (newest < before) {
			// An older state was put in the place of the database.
			this.#position = final;
			this.#drop();
		} else this.#position = Math.max(before, position);
		if (this.#position < final) this.#isAsked = true;
		this.#events.push(...events);
		const surplus = this.#events.splice(0, this.#events.length - REMEMBERED);
		this.#from = surplus.at(-1)?.id ?? this.#from;
		if (this.#position !== before) this.#wake(before, events);
	}

	/** Wakes those who hear of new events; of those who do not, the ones that were up to date stay so. */
	#wake(before: number, events: readonly Remembered[]): void {
		const types = new Set(events.map(({ judged }) => judged.type));
		for (const following of this.#followers) {
			const { cursor, filter, waiting } = following;
			const mayFit = filter.types?.isDisjointFrom(types) !== true;
			const isQuiet =
				cursor === before &&
				!(mayFit && events.some(({ judged }) => isFor(filter, judged)));
			if (isQuiet) following.cursor = this.#position;
			else waiting.wake();
		}
	}

	/**
	 * Some events after an id.
	 * @returns with the last id that was looked at
	 */
	async #ask(since: number) {
		const store = this.#store;
		const horizon = await store.read(() => store.eventWatermarks());
		const { final } = horizon;
		return await store.read(function* () {
			const after = { since, upTo: final, limit: SLICE };
			const rows = yield* nextEvents(store).all(after);
			const isWhole = rows.length < SLICE;
			const position = isWhole ? final : (rows.at(-1)?.id ?? final);
			const infos = new Map<number, EventInfo>();
			if (rows.length > 0) {
				const ids = rows.map(({ id }) => id);
				for (const info of yield* readEvents(store, ids)) {
					infos.set(Number(info.id), info);
				}
			}
			const events = rows.flatMap(({ id, ...judged }): Remembered[] => {
				const info = infos.get(id);
				return info === undefined ? [] : [{ id, judged, info }];
			});
			return { horizon, position, events };
		});
	}

	async #next(since: number, filter: Filter, limit: number): Promise<Found> {
		await this.#begin();
		if (since > this.#position) {
			// It was read from the database after the last pull.
			await this.#pull();
			if (since > this.#newest && this.#failure !== null) throw this.#failure;
		}
		const horizon = { final: this.#position, newest: this.#newest };
		if (since > horizon.final || since < this.#from) {
			return this.#read(() =>
				searchEvents(this.#store, since, horizon, filter, limit),
			);
		}
		return this.#remembered(since, filter, limit);
	}

	/**
	 * The newest events after an id that fit: only those that are remembered.
	 * @param since an earlier one counts as the first that is remembered
	 */
	peek(since: number, filter: Filter): Found {
		return this.#remembered(since, filter, REMEMBERED);
	}

	#remembered(since: number, filter: Filter, limit: number): Found {
		const events: EventInfo[] = [];
		for (let at = this.#placeAfter(since); at < this.#events.length; at++) {
			const event = this.#events[at];
			if (event === undefined || !isFor(filter, event.judged)) continue;
			if (events.push(event.info) === limit) {
				return { events, cursor: event.id, isForgotten: false };
			}
		}
		return { events, cursor: this.#position, isForgotten: false };
	}

	/** The place of the first event after an id; nearly always one of the last. */
	#placeAfter(since: number): number {
		let at = this.#events.length;
		while (at > 0 && (this.#events[at - 1]?.id ?? 0) > since) at--;
		return at;
	}

	/** Whoever waits has no request's time left, or asks on behalf of several: each question has time of its own. */
	async #read<T>(read: () => Promise<T>): Promise<T> {
		return await this.#store.withDeadline(read);
	}
}
