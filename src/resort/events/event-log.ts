/**
 * Notifies waiting readers of new events. Caches the newest events, so that each event is read from the
 * database only once. Reads nothing while nobody waits.
 */

import { setImmediate } from "node:timers/promises";
import { SECOND_MS } from "../../lib/clock.ts";
import { FairLimiter, LimitExceeded, type SlotRequest } from "../../lib/fair-limiter.ts";
import { ResortError } from "../../lib/resort-error.ts";
import type { WaitSignal } from "../../lib/wait-signal.ts";
import {
	afterCommit,
	type EventWatermarks,
	EXTERNAL_CHANGE,
	type Store,
	type StoreEvent,
} from "../../store/store.ts";
import { type Filter, type FilteredEvent, matches } from "./event-filter.ts";
import { readEvents } from "./event-info.ts";
import { type EventPage, emptyPage, searchEvents } from "./event-search.ts";
import type { EventInfo } from "./model.ts";
import { type EventType, eventTypes } from "./publish.ts";
import { nextEvents } from "./queries.ts";

/** The maximum number of cached events. */
const MAX_CACHED = 2_048;

const MAX_READ_AT_ONCE = 100;

/**
 * The maximum number of concurrent searches, for a local database and for a database that several instances
 * share. A local database is SQLite, which runs one query at a time.
 */
const MAX_SEARCHES = { local: 1, shared: 2 } as const;

/**
 * The maximum number of queued searches, and the maximum time that a search for an API call waits in the
 * queue. Searches for streams and webhooks may wait longer.
 */
const MAX_WAITING = 30_000;
const MAX_WAIT_MS = 5 * SECOND_MS;

/** The interval between two checks for commits of other instances. */
const POLL_MS = 100;

/**
 * The interval between two reads while an event of this instance is not final yet (see
 * {@link EventWatermarks}).
 */
const OWN_EVENT_POLL_MS = 10;

const storedTypes: ReadonlySet<string> = new Set(eventTypes);

/**
 * The events after which cached events may be outdated: they contain the names of agents, and no blocked
 * postcards.
 */
const outdating: ReadonlySet<string> = new Set<EventType>(["agent.gone", "agent.changed", "block.changed"]);

interface CachedEvent {
	readonly id: number;
	readonly filtered: FilteredEvent;
	readonly info: EventInfo;
}

/** Reads the events that match a filter. */
export interface Subscription {
	/** The id up to which all events have been checked. It also advances if no event matches. */
	readonly cursor: number;
	/**
	 * Moves the cursor to the newest event.
	 * @throws ResortError `unavailable`
	 */
	start(): Promise<void>;
	/**
	 * Returns the first matching events after `since`, which is usually the cursor. The page is empty if there
	 * are none yet.
	 * @param limit 1 to 100
	 * @throws ResortError `unavailable`
	 */
	next(since: number, limit: number): Promise<EventPage>;
	/** Ends the subscription. It must be called when the subscription is no longer needed. */
	end(): void;
}

interface Subscriber extends Subscription {
	readonly signal: Pick<WaitSignal, "wake" | "end">;
	readonly filter: Filter;
	readonly slot: SlotRequest;
	/** Aborts a queued search when the subscription ends. */
	readonly ending: AbortController;
	cursor: number;
	/** Whether the events after the cursor have been deleted since the subscriber's last read. */
	isForgotten: boolean;
}

/** The event log of a store, shared by all subscribers. */
export class EventLog {
	readonly #subscribers = new Set<Subscriber>();
	/**
	 * The cached events, oldest first. The cache contains all events whose id is greater than `#from` and at
	 * most `#position`.
	 */
	#events: CachedEvent[] = [];
	#from = 0;
	#position = 0;
	/** The highest event id at the time of the last read. */
	#newest = 0;
	/** The error of the last read; null if it succeeded. */
	#failure: unknown = null;
	/**
	 * Resolves when the id of the newest event is known. It is null until a subscriber reads, and after the
	 * last subscriber has left.
	 */
	#started: Promise<void> | null = null;
	/**
	 * The number of times the cache has been cleared. A read that began before the last clearing is discarded.
	 */
	#clears = 0;
	#reading: Promise<void> | null = null;
	#needsRead = false;
	/** How many more times to read for an event of this instance that is not final yet. */
	#ownReads = 0;
	#poll: Timer | null = null;
	#isEnded = false;
	readonly #searches: FairLimiter;

	/** @param maxWaitMs the maximum time that a search for an API call waits in the queue */
	constructor(
		private readonly store: Store,
		private readonly maxWaitMs = MAX_WAIT_MS,
	) {
		this.#searches = new FairLimiter({
			running: MAX_SEARCHES[store.isShared ? "shared" : "local"],
			waiting: MAX_WAITING,
		});
		store.subscribe((event) => this.#handle(event));
	}

	/**
	 * Creates a subscription.
	 * @param signal is woken when there may be matching events
	 * @param slot the slot for database searches, as in {@link search}
	 */
	subscribe(signal: Subscriber["signal"], filter: Filter, slot: SlotRequest): Subscription {
		const ending = new AbortController();
		const subscriber: Subscriber = {
			signal,
			filter,
			ending,
			cursor: -1,
			isForgotten: false,
			slot: { ...slot, signal: ending.signal },
			start: async () => {
				await this.#start();
				subscriber.cursor = this.#position;
			},
			next: async (since, limit) => {
				const from = subscriber.isForgotten ? Number.MAX_SAFE_INTEGER : since;
				subscriber.isForgotten = false;
				const page = await this.#next(from, subscriber, limit);
				subscriber.cursor = page.cursor;
				return page;
			},
			end: () => this.#unsubscribe(subscriber),
		};
		this.#subscribers.add(subscriber);
		if (this.#isEnded) end(subscriber);
		const store = this.store;
		const readChanges = async () => {
			await store.checkFreshness();
			await this.#readNew();
		};
		this.#poll ??= setInterval(() => store.withDeadline(readChanges), POLL_MS);
		return subscriber;
	}

	/**
	 * Tells all subscribers to request a snapshot. Call it after all events have been deleted.
	 * @throws ResortError `unavailable`
	 */
	async forget(): Promise<void> {
		if (this.#started === null) return;
		await this.#readEnd();
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

	#unsubscribe(subscriber: Subscriber): void {
		this.#subscribers.delete(subscriber);
		subscriber.ending.abort();
		if (this.#subscribers.size > 0) return;
		this.#started = null;
		this.#clear();
		if (this.#poll !== null) clearInterval(this.#poll);
		this.#poll = null;
	}

	#handle({ type }: StoreEvent): void {
		if (this.#started === null) return;
		if (type === EXTERNAL_CHANGE.type || outdating.has(type)) this.#clear();
		if (!storedTypes.has(type)) return;
		this.#ownReads = POLL_MS / OWN_EVENT_POLL_MS;
		afterCommit(() => this.#readNew());
	}

	#clear(): void {
		this.#events = [];
		this.#from = this.#position;
		this.#clears++;
	}

	#start(): Promise<void> {
		if (this.#started !== null) return this.#started;
		const started = this.#readEnd().catch((error) => {
			// Does not reset a newer start: all subscribers may have left in the meantime, and a later subscriber
			// may have started the log again.
			if (this.#started === started) this.#started = null;
			throw error;
		});
		this.#started = started;
		return started;
	}

	async #readEnd(): Promise<void> {
		const { final, newest } = await this.store.withDeadline(async () =>
			this.store.read(() => this.store.eventWatermarks()),
		);
		this.#position = final;
		this.#newest = newest;
		this.#clear();
	}

	/** Reads new events. If a read is in progress, another read follows it. */
	#readNew(): Promise<void> {
		this.#needsRead = true;
		this.#reading ??= this.#readAll().finally(() => {
			this.#reading = null;
		});
		return this.#reading;
	}

	async #readAll(): Promise<void> {
		while (this.#needsRead && this.#started !== null) {
			this.#needsRead = false;
			try {
				await this.#started;
				// Each read has its own deadline, because the read belongs to no single request.
				await this.store.withDeadline(() => this.#readSome());
				this.#failure = null;
			} catch (error) {
				// Keeps the error for the next subscriber that reads.
				this.#failure = error;
			}
			if (this.#needsRead) await setImmediate();
		}
	}

	async #readSome(): Promise<void> {
		const store = this.store;
		const before = this.#position;
		const clears = this.#clears;
		const { final, newest } = await store.read(() => store.eventWatermarks());
		const { rows, events } = await store.read(function* () {
			const range = { since0: before, upTo: final, limit: MAX_READ_AT_ONCE };
			const rows = yield* nextEvents(["all"])(store).all(range);
			const ids = rows.map(({ id }) => id);
			const infos = ids.length === 0 ? [] : yield* readEvents(store, ids);
			const infoById = new Map(infos.map((info) => [Number(info.id), info]));
			const events = rows.flatMap(({ id, place, ...filtered }): CachedEvent[] => {
				const info = infoById.get(id);
				return info === undefined ? [] : [{ id, filtered, info }];
			});
			return { rows, events };
		});
		if (this.#clears !== clears) {
			this.#needsRead = true;
			return;
		}
		this.#newest = newest;
		if (newest < before) {
			// The database has been replaced by an older one, such as a backup.
			this.#position = final;
			this.#clear();
		} else {
			const isComplete = rows.length < MAX_READ_AT_ONCE;
			const end = isComplete ? final : (rows.at(-1)?.id ?? final);
			this.#position = Math.max(before, end);
		}
		if (this.#position < final) this.#needsRead = true;
		// On PostgreSQL, an event is not final while a transaction with an earlier event is still running. Reads
		// again soon instead of at the next poll.
		if (final < newest && this.#ownReads-- > 0) {
			setTimeout(() => this.#readNew(), OWN_EVENT_POLL_MS);
		}
		this.#events.push(...events);
		const surplus = this.#events.splice(0, this.#events.length - MAX_CACHED);
		this.#from = surplus.at(-1)?.id ?? this.#from;
		if (this.#position !== before) this.#wake(before, events);
	}

	/**
	 * Wakes the subscribers for whom there are matching events, and the subscribers that were not up to date.
	 * For all others, only the cursor advances.
	 */
	#wake(before: number, events: readonly CachedEvent[]): void {
		const types = new Set(events.map(({ filtered }) => filtered.type));
		for (const subscriber of this.#subscribers) {
			const { cursor, filter, signal } = subscriber;
			const mayMatch = filter.types?.isDisjointFrom(types) !== true;
			const hasMatch = mayMatch && events.some(({ filtered }) => matches(filter, filtered));
			if (cursor === before && !hasMatch) subscriber.cursor = this.#position;
			else signal.wake();
		}
	}

	/**
	 * Returns the first final events after the id `since` that match a filter. Searches are queued fairly,
	 * because each may examine thousands of events.
	 * @param slot if it has no signal, the search waits in the queue for only a few seconds
	 * @param limit at most 100
	 * @throws ResortError `unavailable`; the reason of the slot's signal if it is aborted while the search is
	 * queued
	 */
	async search(
		slot: SlotRequest,
		since: number,
		watermarks: EventWatermarks,
		filter: Filter,
		limit: number,
	): Promise<EventPage> {
		const { final, newest } = watermarks;
		if (since > newest) return emptyPage(final, true);
		// There is nothing to search yet. The id `since` was final when the client received it, and will be final
		// again as soon as the events before it have been written.
		if (since >= final) return emptyPage(since);
		const { store } = this;
		const isPatient = slot.signal !== undefined || !this.#searches.isBusy(slot);
		const timeout = isPatient ? null : AbortSignal.timeout(this.maxWaitMs);
		const request = timeout === null ? slot : { ...slot, signal: timeout };
		try {
			return await this.#searches.run(request, async () =>
				store.withDeadline(() => searchEvents(store, since, watermarks, filter, limit)),
			);
		} catch (error) {
			const isRefused = error instanceof LimitExceeded || error === timeout?.reason;
			if (!isRefused) throw error;
			throw new ResortError("unavailable", "Too many searches for events", {
				hint: "Other searches from your network are in progress. Repeat the call later, from your newest cursor.",
				retryAfterSeconds: MAX_WAIT_MS / SECOND_MS,
			});
		}
	}

	async #next(since: number, { filter, slot, ending }: Subscriber, limit: number): Promise<EventPage> {
		await this.#start();
		if (since > this.#position) {
			// The caller read the id `since` from the database after the log's last read.
			await this.#readNew();
			if (since > this.#newest && this.#failure !== null) throw this.#failure;
		}
		const watermarks = { final: this.#position, newest: this.#newest };
		if (since > watermarks.final || since < this.#from) {
			return await this.search(slot, since, watermarks, filter, limit).catch((error) => {
				if (ending.signal.aborted) return emptyPage(since);
				throw error;
			});
		}
		return this.peek(since, filter, limit);
	}

	/**
	 * Returns the cached events after an id that match a filter.
	 * @param since if `since` precedes all cached events, all of them are searched
	 */
	peek(since: number, filter: Filter, limit = MAX_CACHED): EventPage {
		const events: EventInfo[] = [];
		// Searches backwards, because most subscribers have read all but the last events.
		const read = this.#events.findLastIndex(({ id }) => id <= since) + 1;
		for (const event of this.#events.slice(read)) {
			if (!matches(filter, event.filtered)) continue;
			if (events.push(event.info) === limit) {
				return { ...emptyPage(event.id), events };
			}
		}
		return { ...emptyPage(this.#position), events };
	}
}

function end({ signal, ending }: Subscriber): void {
	signal.end();
	ending.abort();
}
