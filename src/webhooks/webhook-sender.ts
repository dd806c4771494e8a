import type { Logger } from "@logtape/logtape";
import { MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { FairLimiter } from "../lib/fair-limiter.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { EventLog, Subscription } from "../resort/events/event-log.ts";
import type { EventType } from "../resort/events/publish.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { afterCommit } from "../store/after-commit.ts";
import { EXTERNAL_CHANGE, type StoreEvent } from "../store/store.ts";
import { oldestWaiting } from "./deliveries/queries.ts";
import { ATTEMPT_MS, attempt } from "./delivery-attempt.ts";
import { DeliveryQueue, type QueueParts } from "./delivery-queue.ts";
import { Lease, type LeaseTimes } from "./lease.ts";
import type { Due, Outcome, Webhook } from "./model.ts";
import { activeWebhooks, movePosition, webhooksOfAgent } from "./queries.ts";
import { pingBody, signedHeaders } from "./webhook-message.ts";
import { requireWebhookUrl, slotOf } from "./webhook-url.ts";

/** The most deliveries at a time, and the most that wait: one of each active webhook, and those sent on request. */
const MAX_RUNNING = 20;
const MAX_WAITING = 20_000;

/** The interval of checks for due retries. */
const TICK_MS = SECOND_MS;

/** The interval at which the positions of idle webhooks are stored, and how many in one transaction. */
const SAVE_MS = MINUTE_MS;
const SAVED_AT_ONCE = 500;

/** How long running attempts may take when the instance stops; those that are aborted are repeated later. */
const STOP_MS = 5 * SECOND_MS;

/** How webhooks are sent. */
export type WebhookOptions = QueueParts["options"] & {
	readonly leaseTimes?: LeaseTimes;
};

/**
 * Delivers the messages of all active webhooks, each with a queue of its own. Of several instances that share a
 * database, the holder of the lease delivers.
 */
export class WebhookSender {
	/** The number of attempts of this instance. */
	readonly tally = { delivered: 0, failed: 0 };
	readonly #context: ServiceContext;
	readonly #eventLog: EventLog;
	readonly #options: WebhookOptions;
	readonly #limiter = new FairLimiter({
		running: MAX_RUNNING,
		waiting: MAX_WAITING,
	});
	readonly #lease: Lease | null;
	readonly #queues = new Map<string, DeliveryQueue>();
	readonly #queueParts: QueueParts;
	readonly #cut = new AbortController();
	/** While this instance delivers: it receives no events, but keeps those of other instances coming. */
	#subscription: Subscription | null = null;
	/** The agents whose webhooks have to be read again; null stands for all agents. */
	readonly #outdated = new Set<string | null>();
	#loading: Promise<void> | null = null;
	#ticking: Promise<void> | null = null;
	#timer: Timer | null = null;
	#savedAtMs = performance.now();
	#isStopped = false;

	constructor(
		context: ServiceContext,
		eventLog: EventLog,
		options: WebhookOptions,
		log: Logger,
	) {
		const { store } = context;
		this.#context = context;
		this.#eventLog = eventLog;
		this.#options = options;
		this.#lease = store.isShared
			? new Lease(store, "webhooks", options.leaseTimes)
			: null;
		this.#queueParts = {
			...{ context, eventLog, options, log, limiter: this.#limiter },
			tally: this.tally,
			cut: this.#cut.signal,
			mayDeliver: () => this.#lease?.isHeld ?? true,
		};
		store.subscribe((event) => this.#handle(event));
	}

	/** Begins to deliver. */
	start(): void {
		const everyMs = this.#lease?.times.everyMs ?? TICK_MS;
		this.#timer = setInterval(() => this.#tick(), Math.min(TICK_MS, everyMs));
		this.#tick();
	}

	/** Ends after the running attempts. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		if (this.#timer !== null) clearInterval(this.#timer);
		for (const queue of this.#queues.values()) queue.end();
		const timeout = setTimeout(() => this.#cut.abort(), STOP_MS);
		await this.#ticking;
		await this.#loading;
		await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
		clearTimeout(timeout);
		this.#cut.abort();
		await this.#savePositions();
		await this.#lease?.release();
		this.#subscription?.end();
	}

	/** Starts the retries that are due by a clock that was moved. */
	clockMoved(): void {
		const nowMs = this.#context.clock();
		for (const queue of this.#queues.values()) queue.wakeIfDue(nowMs);
	}

	/**
	 * Returns for how many seconds the oldest message that was not accepted has been due; 0 if there is none.
	 * @throws ResortError `unavailable`
	 */
	async oldestSeconds(): Promise<number> {
		const { store, clock } = this.#context;
		const waiting = await store.read(() => oldestWaiting(store).get({}));
		const nowMs = clock();
		const times = [...this.#queues.values()].map((queue) => queue.dueSinceMs);
		const oldestMs = Math.min(
			waiting?.createdAt ?? nowMs,
			...times.map((ms) => ms ?? nowMs),
		);
		return (nowMs - oldestMs) / SECOND_MS;
	}

	/** @throws ResortError `invalid` if no webhook may have this URL */
	accept(url: string): string {
		return requireWebhookUrl(url, this.#options.allowed);
	}

	/**
	 * Sends a ping once, immediately.
	 * @throws ResortError `unavailable` if no slot becomes free in time
	 */
	async sendPing(
		{ agentId, url, secret }: Pick<Webhook, "agentId" | "url" | "secret">,
		ping: Due,
	): Promise<Outcome> {
		const context = this.#context;
		const waitMs = this.#options.attemptMs ?? ATTEMPT_MS;
		const body = await context.store.read(() =>
			pingBody(context, agentId, ping),
		);
		const headers = signedHeaders(secret, ping.id, body, Date.now());
		const release = await this.#limiter
			.acquire({ ...slotOf(agentId, url), signal: AbortSignal.timeout(waitMs) })
			.catch(() => {
				throw new ResortError(
					"unavailable",
					"Too many webhooks are being sent",
					{
						hint: "Repeat the call later.",
						retryAfterSeconds: ATTEMPT_MS / SECOND_MS,
					},
				);
			});
		const { signal } = new AbortController();
		return attempt(this.#options, { url, headers, body }, signal).finally(
			release,
		);
	}

	#tick(): void {
		this.#ticking ??= this.#step().finally(() => {
			this.#ticking = null;
		});
	}

	/** Starts or ends the deliveries of this instance, and starts the retries that are due. */
	async #step(): Promise<void> {
		// If the storage fails, the lease expires.
		await this.#lease?.renew().catch(() => {});
		if (this.#isStopped) return;
		const isHeld = this.#lease?.isHeld ?? true;
		if (isHeld && this.#subscription === null) {
			this.#subscription = this.#eventLog.subscribe(
				{ wake() {}, end() {} },
				{ types: new Set(), fits: () => false },
			);
			this.#reload(null);
		} else if (!isHeld && this.#subscription !== null) {
			this.#subscription.end();
			this.#subscription = null;
			this.#replaceQueues([], null);
		}
		this.clockMoved();
		if (performance.now() - this.#savedAtMs < SAVE_MS) return;
		this.#savedAtMs = performance.now();
		await this.#savePositions();
	}

	#handle({ type, agentId }: StoreEvent): void {
		const isGone = type === ("agent.gone" satisfies EventType);
		if (isGone) {
			for (const queue of this.#queues.values()) {
				if (queue.agentId === agentId) queue.end();
			}
		}
		const isChange = type === ("webhook.changed" satisfies EventType);
		if (type === EXTERNAL_CHANGE.type) afterCommit(() => this.#reload(null));
		else if (isGone || isChange) afterCommit(() => this.#reload(agentId));
	}

	#reload(agentId: string | null): void {
		if (this.#subscription === null) return;
		this.#outdated.add(agentId);
		this.#loading ??= this.#load();
	}

	/** Reads the webhooks that have changed, until the storage answers. */
	async #load(): Promise<void> {
		const { store } = this.#context;
		for (const agentId of this.#outdated) {
			this.#outdated.delete(agentId);
			if (this.#isStopped || this.#subscription === null) continue;
			try {
				const rows = await store.read(() => {
					if (agentId === null) return activeWebhooks(store).all({});
					return webhooksOfAgent(store).all({ agentId });
				});
				this.#replaceQueues(rows, agentId);
			} catch {
				this.#outdated.add(agentId);
				await Bun.sleep(SECOND_MS);
			}
		}
		this.#loading = null;
	}

	/** Gives each active webhook a queue, of all agents or of one, and ends the other queues. */
	#replaceQueues(rows: readonly Webhook[], agentId: string | null): void {
		const active = rows.filter(({ state }) => state === "active");
		const ids = new Set(active.map(({ id }) => id));
		for (const queue of this.#queues.values()) {
			const isConcerned = agentId === null || queue.agentId === agentId;
			if (!queue.isEnded && (!isConcerned || ids.has(queue.id))) continue;
			queue.end();
			this.#queues.delete(queue.id);
		}
		if (this.#isStopped || this.#subscription === null) return;
		for (const row of active) {
			const queue =
				this.#queues.get(row.id) ?? new DeliveryQueue(row, this.#queueParts);
			this.#queues.set(row.id, queue);
			queue.refresh();
		}
	}

	/** Stores the positions of webhooks that received none of the latest events. */
	async #savePositions(): Promise<void> {
		const { store } = this.#context;
		const moved = [...this.#queues.values()].filter(
			({ position, storedPosition }) => position !== storedPosition,
		);
		while (moved.length > 0) {
			const queues = moved.splice(0, SAVED_AT_ONCE);
			const rows = queues.map(({ id, position }) => ({ id, position }));
			try {
				await store.write(function* () {
					for (const row of rows) yield* movePosition(store).run(row);
				});
			} catch {
				// The next time stores them; until then, a restart examines more events.
				return;
			}
			for (const [at, queue] of queues.entries()) {
				queue.storedPosition = rows[at]?.position ?? queue.storedPosition;
			}
		}
	}
}
