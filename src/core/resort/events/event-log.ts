import { setImmediate } from "node:timers/promises";
import { Gate } from "../../lib/gate.ts";
import { RETRY_SECONDS, ResortError } from "../../lib/resort-error.ts";
import { WaitSignal } from "../../lib/wait-signal.ts";
import {
	afterCommit,
	type EventWatermarks,
	EXTERNAL_CHANGE,
	type Store,
	type StoreEvent,
} from "../../store/store.ts";
import type { Filter } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import { type EventType, storedTypes } from "./publish.ts";
import { type EventRow, eventsAfter, oldestEvents } from "./queries.ts";

/** The maximum number of cached events. */
const MAX_CACHED = 2_048;

const MAX_READ_AT_ONCE = 100;

/** The bounds for concurrent searches: how many run and how many wait, in all and for each network. */
const SEARCHES = { running: 2, ofNetwork: 1, waiting: 30_000, waitingOfNetwork: 1_000 };

/** The interval between two checks for commits by other instances. */
const POLL_MS = 100;

/** The interval between two reads while an event is not final yet (see {@link EventWatermarks}). */
const NOT_FINAL_MS = 10;

/** The events after which the names and the postcards in cached events may be outdated. */
const outdating: ReadonlySet<string> = new Set<EventType>(["agent.gone", "agent.changed", "block.changed"]);

/** Reads the events that match a filter. */
export interface Subscription {
	/** The id up to which all events have been examined. Advances even if no event matches. */
	readonly cursor: number;
	/**
	 * Returns the first matching events after `since`, which is usually the cursor. Returns an empty page if
	 * there are no such events yet.
	 * @param limit 1 to 100
	 * @throws ResortError `unavailable`
	 */
	next(since: number, limit: number): Promise<EventPage>;
	/** Returns all cached events after `since` that match, without moving the cursor. */
	peek(since: number): EventPage;
	/** Ends the subscription. It must be called when the subscription is no longer needed. */
	end(): void;
}

interface Subscriber extends Subscription {
	readonly signal: Pick<WaitSignal, "wake" | "end">;
	readonly filter: Filter;
	/** Aborts a waiting search when the subscription ends. */
	readonly ending: AbortController;
	cursor: number;
	/** Whether the events after the cursor have been deleted since the subscriber's last read. */
	isForgotten: boolean;
}

/**
 * The event log of a store. Notifies all subscribers of new events. Caches the newest events, so that each is
 * read only once, and reads nothing while there are no subscribers.
 */
export class EventLog {
	readonly #subscribers = new Set<Subscriber>();
	/** The cached events, oldest first: those with ids greater than `#from` and at most `#position`. */
	#events: EventRow[] = [];
	#from = -1;
	/** The id up to which events have been read; -1 if nothing has been read since the first subscription. */
	#position = -1;
	#isFollowing = false;
	/** Ends the pause between two reads. */
	#pause = new WaitSignal();
	#isEnded = false;
	readonly #searches = new Gate(
		SEARCHES,
		() =>
			new ResortError("unavailable", "Too many searches for events", {
				hint: "Other searches from your network are in progress. Repeat the call later, from your newest cursor.",
				retryAfterSeconds: RETRY_SECONDS,
			}),
	);

	constructor(private readonly store: Store) {
		store.subscribe((event) => this.#handle(event));
	}

	/**
	 * Creates a subscription.
	 * @param signal is woken when there may be matching events
	 * @param network the client's network, or another key, by which searches of the database are limited
	 */
	subscribe(signal: Subscriber["signal"], filter: Filter, network: string): Subscription {
		const ending = new AbortController();
		const subscriber: Subscriber = {
			signal,
			filter,
			ending,
			cursor: -1,
			isForgotten: false,
			next: async (since, limit) => {
				const page = await this.#next(subscriber, network, { since, filter, limit });
				subscriber.cursor = page.cursor;
				return page;
			},
			peek: (since) => this.#peek(since, filter),
			end: () => {
				this.#subscribers.delete(subscriber);
				ending.abort();
				if (this.#subscribers.size === 0) this.#pause.end();
			},
		};
		this.#subscribers.add(subscriber);
		if (this.#isEnded) end(subscriber);
		if (!this.#isFollowing) void this.#follow();
		return subscriber;
	}

	/**
	 * Waits until a search has a result, or `signal` has ended.
	 * @param network as in {@link subscribe}
	 * @throws ResortError `unavailable`
	 */
	async wait(signal: WaitSignal, network: string, { since, filter, limit }: Search): Promise<EventPage> {
		const subscription = this.subscribe(signal, filter, network);
		try {
			for (let before = since; ; before = subscription.cursor) {
				const page = await subscription.next(before, limit);
				if (isResult(page)) return page;
				// During an outage, `page` is empty although events may have happened. This search then fails.
				if (signal.isOver) return await this.search(network, { since: page.cursor, filter, limit });
				if (page.cursor === before) await signal.next();
			}
		} finally {
			subscription.end();
		}
	}

	/** Tells all subscribers that they have missed events. Call it after all events have been deleted. */
	forget(): void {
		this.#position = -1;
		this.#clear();
		for (const subscriber of this.#subscribers) {
			subscriber.isForgotten = true;
			subscriber.signal.wake();
		}
	}

	/** Ends all current and future subscriptions. */
	end(): void {
		this.#isEnded = true;
		for (const subscriber of this.#subscribers) end(subscriber);
	}

	#handle({ type }: StoreEvent): void {
		if (!this.#isFollowing) return;
		if (type === EXTERNAL_CHANGE.type || outdating.has(type)) this.#clear();
		if (storedTypes.has(type)) afterCommit(() => this.#pause.wake());
	}

	#clear(): void {
		this.#events = [];
		this.#from = this.#position;
	}

	/** As long as there are subscribers, reads new events at each event of this instance and at each poll. */
	async #follow(): Promise<void> {
		this.#isFollowing = true;
		let isPoll = false;
		while (this.#subscribers.size > 0) {
			const pause = new WaitSignal();
			this.#pause = pause;
			const read = () => this.#readNext(isPoll).catch(() => POLL_MS);
			const pauseMs = await this.store.withDeadline(read);
			const timer = setTimeout(() => pause.end(), pauseMs);
			isPoll = !(await pause.next());
			clearTimeout(timer);
		}
		this.#isFollowing = false;
		this.#position = -1;
		this.#clear();
	}

	/** @returns the time until the next read, in milliseconds @throws errors of the store */
	async #readNext(isPoll: boolean): Promise<number> {
		const { store } = this;
		if (isPoll) await store.checkFreshness();
		const before = this.#position;
		const cached = this.#events;
		const { final, newest } = await store.read(() => store.eventWatermarks());
		if (before === -1 || newest < before) {
			// This is the first read, or the database has been replaced by an older one, such as a backup.
			this.#position = final;
			this.#clear();
			for (const { signal } of this.#subscribers) signal.wake();
		} else if (final > before) {
			const range = { since: before, upTo: final, limit: MAX_READ_AT_ONCE };
			const { last, events } = await store.read(function* () {
				const rows = yield* eventsAfter(store).all(range);
				const ids = rows.map(({ id }) => id);
				const events = ids.length === 0 ? [] : yield* readEvents(store, ids);
				return { last: rows.length < MAX_READ_AT_ONCE ? final : (ids.at(-1) ?? final), events };
			});
			// The events may be outdated, because the cache has been cleared in the meantime.
			if (this.#events !== cached) return 0;
			this.#position = last;
			this.#events.push(...events);
			const surplus = this.#events.splice(0, this.#events.length - MAX_CACHED);
			this.#from = surplus.at(-1)?.id ?? this.#from;
			this.#wake(before, events);
			if (last < final) return 0;
		}
		// On a database server, an event is not final while a transaction with an earlier event is still running.
		return final < newest ? NOT_FINAL_MS : POLL_MS;
	}

	/**
	 * Wakes the subscribers that have matching events or were not up to date. Advances the cursors of the
	 * others.
	 */
	#wake(before: number, events: readonly EventRow[]): void {
		for (const subscriber of this.#subscribers) {
			const { cursor, filter, signal } = subscriber;
			if (cursor === before && !events.some(filter)) subscriber.cursor = this.#position;
			else signal.wake();
		}
	}

	/** Returns the id of the newest final event. @throws ResortError `unavailable` */
	async newest(): Promise<number> {
		const { final } = await this.store.read(() => this.store.eventWatermarks());
		return final;
	}

	/**
	 * Searches the database. Each network runs one search at a time, and networks take turns.
	 * @param network as in {@link subscribe}
	 * @throws ResortError `unavailable`, also if `signal` is aborted before the search starts
	 */
	async search(network: string, search: Search, signal?: AbortSignal): Promise<EventPage> {
		const { store } = this;
		const { since } = search;
		const { final, newest } = await store.withDeadline(async () => store.read(() => store.eventWatermarks()));
		if (since > newest) return emptyPage(final, true);
		// There is nothing to search yet. `since` can even be above `final`, because `final` decreases
		// temporarily if another transaction still writes events with lower ids.
		if (since >= final) return emptyPage(since);
		const release = await this.#searches.enter(network, signal);
		try {
			return await store.withDeadline(() => searchEvents(store, search, final));
		} finally {
			release();
		}
	}

	async #next(subscriber: Subscriber, network: string, search: Search): Promise<EventPage> {
		const { since, filter, limit } = search;
		if (subscriber.isForgotten) {
			subscriber.isForgotten = false;
			return emptyPage(await this.newest(), true);
		}
		if (since >= this.#from && since <= this.#position) return this.#peek(since, filter, limit);
		const { signal } = subscriber.ending;
		return this.search(network, search, signal).catch((error) => {
			if (signal.aborted) return emptyPage(since);
			throw error;
		});
	}

	#peek(since: number, filter: Filter, limit = MAX_CACHED): EventPage {
		// Searches backwards, because most subscribers have read all but the last events.
		const read = this.#events.findLastIndex(({ id }) => id <= since) + 1;
		const events: EventRow[] = [];
		for (const event of this.#events.slice(read)) {
			if (filter(event) && events.push(event) === limit) return { ...emptyPage(event.id), events };
		}
		return { ...emptyPage(this.#position), events };
	}
}

function end({ signal, ending }: Subscriber): void {
	signal.end();
	ending.abort();
}

/** The maximum number of events that a search examines in all, and without a pause. */
const MAX_EXAMINED = 5_000;
const MAX_EXAMINED_AT_ONCE = 1_000;

/**
 * The factor by which each read of a search is larger than the one before. The first read is small, because
 * one small read is enough if many events match.
 */
const GROWTH = 4;

/** The result of a search: the found events, oldest first. */
export interface EventPage {
	readonly events: readonly EventRow[];
	/** The id up to which all events have been examined. */
	readonly cursor: number;
	/**
	 * Whether events after the requested id have been deleted, or the requested id is higher than the newest
	 * id. If so, `events` is empty, and `cursor` is the newest final id.
	 */
	readonly isForgotten: boolean;
	/** Whether the search has examined the maximum number of events. Later events may match. */
	readonly isCut: boolean;
}

/** Returns an empty page. */
export function emptyPage(cursor: number, isForgotten = false): EventPage {
	return { events: [], cursor, isForgotten, isCut: false };
}

/** Whether a waiting call must return this page now: it has events, or is cut, or events were deleted. */
export function isResult({ events, isForgotten, isCut }: EventPage): boolean {
	return events.length > 0 || isForgotten || isCut;
}

/** What to search for. */
export interface Search {
	/** The id after which the search begins. */
	readonly since: number;
	readonly filter: Filter;
	/** The maximum number of events in the page, 1 to 100. */
	readonly limit: number;
}

/**
 * Examines the events after `since`, oldest first. Returns the first ones that match the filter.
 * @param final the newest final id, higher than `since`
 * @throws ResortError `unavailable`
 */
async function searchEvents(
	store: Store,
	{ since, filter, limit }: Search,
	final: number,
): Promise<EventPage> {
	const found: number[] = [];
	let cursor = since;
	let rest = MAX_EXAMINED;
	for (let size = limit; found.length < limit && cursor < final && rest > 0; size *= GROWTH) {
		// Pauses before every read, so that a queue of short searches does not block other requests.
		await setImmediate();
		const range = { since: cursor, upTo: final, limit: Math.min(size, rest, MAX_EXAMINED_AT_ONCE) };
		const rows = await store.read(() => eventsAfter(store).all(range));
		rest -= rows.length;
		cursor = rows.length < range.limit ? final : (rows.at(-1)?.id ?? final);
		for (const row of rows) if (filter(row)) found.push(row.id);
	}
	const ids = found.slice(0, limit);
	const events = ids.length === 0 ? [] : await store.read(() => readEvents(store, ids));
	// The oldest event is read last, so that a deletion during the search is noticed.
	const first = await store.read(() => oldestEvents(store).get({ limit: 1 }));
	if (first === undefined || first.id > since + 1) return emptyPage(final, true);
	const isFull = ids.length === limit;
	if (isFull) cursor = ids.at(-1) ?? cursor;
	return { events, cursor, isForgotten: false, isCut: !isFull && cursor < final };
}
