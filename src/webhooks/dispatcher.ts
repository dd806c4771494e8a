import type { Logger } from "@logtape/logtape";
import { MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import type { FairLimiter } from "../lib/fair-limiter.ts";
import type { ServiceContext } from "../resort/context.ts";
import type { EventLog, Subscription } from "../resort/events/event-log.ts";
import type { Filter } from "../resort/events/filter.ts";
import type { EventType } from "../resort/events/publish.ts";
import { oldestWaiting } from "../resort/webhooks/deliveries/queries.ts";
import type { Webhook } from "../resort/webhooks/deliveries/service.ts";
import { activeWebhooks, webhooksOfAgent } from "../resort/webhooks/queries.ts";
import { afterCommit } from "../store/after-commit.ts";
import { EXTERNAL_CHANGE, type StoreEvent } from "../store/store.ts";
import type { Way } from "./attempt.ts";
import { Lease, type LeaseTimes } from "./lease.ts";
import { Roster } from "./roster.ts";
import { Worker, type WorkerParts } from "./worker.ts";

/** How often the positions of webhooks are written down that have nothing to send. */
const SAVE_MS = MINUTE_MS;

/** How long what is being sent may take once the instance stops; what is cut off then is sent again later. */
const STOP_MS = 5 * SECOND_MS;

const hearsNothing: Filter = { types: new Set(), fits: () => false };

const changing: ReadonlySet<string> = new Set<EventType>([
	"webhook.changed",
	"agent.gone",
]);

/** What messages are sent with. */
export interface DispatcherParts {
	readonly context: ServiceContext;
	readonly eventLog: EventLog;
	readonly way: Way;
	readonly limiter: FairLimiter;
	readonly chance: () => number;
	readonly log: Logger;
	/** The usual ones when left out. */
	readonly leaseTimes?: LeaseTimes;
}

/** How many attempts there were, by what came of them. */
export interface Tally {
	delivered: number;
	failed: number;
}

/**
 * Lets each active webhook have a worker, on one of the instances that share a database: on the one with the lease.
 */
export class Dispatcher {
	readonly tally: Tally = { delivered: 0, failed: 0 };
	readonly #parts: DispatcherParts;
	readonly #lease: Lease | null;
	readonly #workerParts: WorkerParts;
	readonly #roster = new Roster();
	readonly #cut = new AbortController();
	#follower: Subscription | null = null;
	#loading: Promise<void> = Promise.resolve();
	#isLoadAsked = false;
	#isStopped = false;
	#saving: Timer | null = null;

	constructor(parts: DispatcherParts) {
		const { context, eventLog, limiter, way, chance, log } = parts;
		const { store } = context;
		this.#parts = parts;
		this.#lease = store.isShared
			? new Lease(store, "webhooks", parts.leaseTimes)
			: null;
		this.#workerParts = {
			...{ context, eventLog, limiter, way, chance, log },
			cut: this.#cut.signal,
			maySend: () => this.#lease?.isHeld ?? true,
			onAttempt: ({ failure }) => {
				this.tally[failure === null ? "delivered" : "failed"]++;
			},
		};
		store.subscribe((news) => this.#hear(news));
	}

	/** Sends from now on. */
	start(): void {
		const { store } = this.#parts.context;
		this.#saving = setInterval(() => this.#roster.save(store), SAVE_MS);
		if (this.#lease === null) this.#begin();
		else this.#lease.start(() => this.#heed());
	}

	/** Looks at the webhooks of an agent anew. */
	changed(agentId: string): void {
		if (this.#follower === null) return;
		this.#load(async () => {
			const { store } = this.#parts.context;
			const rows = await store.read(() =>
				webhooksOfAgent(store).all({ agentId }),
			);
			const active = rows.filter(({ state }) => state === "active");
			this.#take(active, (worker) => worker.agentId === agentId);
		});
	}

	/** Looks at what is due, as when the clock was moved. */
	clockMoved(): void {
		this.#roster.kick();
	}

	/**
	 * For how many seconds the oldest message has been due that was not taken; 0 when there is none.
	 * @throws ResortError `unavailable`
	 */
	async oldestSeconds(): Promise<number> {
		const { store, clock } = this.#parts.context;
		const waiting = await store.read(() => oldestWaiting(store).get({}));
		const sinces = this.#roster.all.map(({ sinceMs }) => sinceMs);
		const known = [waiting?.createdAt, ...sinces].filter((ms) => ms != null);
		return known.length === 0
			? 0
			: Math.max(0, clock() - Math.min(...known)) / SECOND_MS;
	}

	/** Sends what it has begun to send, and nothing more. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		if (this.#saving !== null) clearInterval(this.#saving);
		this.#roster.end();
		const late = setTimeout(() => this.#cut.abort(), STOP_MS);
		await this.#loading;
		await Promise.all(this.#roster.all.map((worker) => worker.idle()));
		clearTimeout(late);
		this.#cut.abort();
		await this.#roster.save(this.#parts.context.store);
		await this.#lease?.stop();
		this.#follower?.end();
		this.#follower = null;
	}

	/** Sends, or lets another instance do that. */
	#heed(): void {
		if (this.#isStopped) return;
		const isHeld = this.#lease?.isHeld ?? true;
		if (isHeld && this.#follower === null) this.#begin();
		// The lease may have run out for a moment, in which a worker has given up.
		else if (isHeld) this.clockMoved();
		if (!isHeld && this.#follower !== null) this.#leave();
	}

	#begin(): void {
		const { eventLog } = this.#parts;
		// Each worker follows the events by itself. This keeps the news of other instances coming while there is none.
		this.#follower = eventLog.subscribe({ wake() {}, end() {} }, hearsNothing);
		this.#loadAll();
	}

	#leave(): void {
		this.#follower?.end();
		this.#follower = null;
		// What was asked for is not loaded any more.
		this.#isLoadAsked = false;
		this.#roster.take([], () => true, this.#make);
	}

	#hear({ type, agentId }: StoreEvent): void {
		if (this.#follower === null) return;
		if (type === ("agent.gone" satisfies EventType)) {
			this.#roster.end((worker) => worker.agentId === agentId);
		}
		if (type === EXTERNAL_CHANGE.type) afterCommit(() => this.#loadAll());
		else if (changing.has(type) && agentId !== null) {
			afterCommit(() => this.changed(agentId));
		}
	}

	#loadAll(): void {
		if (this.#isLoadAsked || this.#follower === null) return;
		this.#isLoadAsked = true;
		this.#load(async () => {
			this.#isLoadAsked = false;
			const { store } = this.#parts.context;
			const rows = await store.read(() => activeWebhooks(store).all({}));
			this.#take(rows, () => true);
		});
	}

	/** Loads one after the other, so that what was read last counts. */
	#load(load: () => Promise<void>): void {
		const run = async () => {
			if (this.#isStopped || this.#follower === null) return;
			try {
				await load();
			} catch {
				setTimeout(() => this.#loadAll(), SECOND_MS);
			}
		};
		this.#loading = this.#loading.then(run);
	}

	#take(rows: readonly Webhook[], isOne: (worker: Worker) => boolean): void {
		if (this.#isStopped || this.#follower === null) return;
		this.#roster.take(rows, isOne, this.#make);
	}

	readonly #make = (row: Webhook): Worker => new Worker(row, this.#workerParts);
}
