import type { Logger } from "@logtape/logtape";
import { MINUTE_MS, SECOND_MS } from "../../core/lib/clock.ts";
import { Gate } from "../../core/lib/gate.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import type { EventLog } from "../../core/resort/events/event-log.ts";
import type { EventType } from "../../core/resort/events/publish.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { afterCommit, EXTERNAL_CHANGE } from "../../core/store/store.ts";
import { ATTEMPT_MS, attempt, type WebhookOptions } from "./delivery-attempt.ts";
import { DeliveryQueue, type QueueParts, turnOf } from "./delivery-queue.ts";
import { Lease } from "./lease.ts";
import type { Due, Outcome, Webhook } from "./model.ts";
import { activeWebhooks, movePosition, oldestWaiting, webhooksOfAgent } from "./queries.ts";
import { bodyOf, createPing } from "./webhook-message.ts";

const TICK_MS = SECOND_MS;

/**
 * How often the positions of idle webhooks are stored, and how many positions a transaction stores at most.
 */
const SAVE_MS = MINUTE_MS;
const SAVED_AT_ONCE = 500;

/**
 * How long running attempts may continue when the instance stops. Then they are aborted, and repeated after
 * the next start.
 */
const STOP_MS = 5 * SECOND_MS;

/**
 * The bounds of concurrent deliveries. An IPv6 /48, which counts as ten networks, can use only 160 of the 200
 * places. Three agents of one network, with 5 webhooks each, can use only 15 of the network's 16. Every
 * active webhook can have a waiting delivery.
 */
const BOUNDS = { running: 200, ofNetwork: 16, waiting: 20_000, waitingOfNetwork: 20_000 };

/** Events after which the webhooks of an agent may have changed. */
const changes: ReadonlySet<string> = new Set<EventType>(["agent.gone", "webhook.changed"]);

/** Delivers the messages of each active webhook through a queue, while this instance has the lease. */
export class WebhookSender {
	/** The numbers of attempts that this instance of the resort has made, by result. */
	readonly tally = { delivered: 0, failed: 0 };
	readonly #parts: QueueParts;
	readonly #lease: Lease | null;
	readonly #queues = new Map<string, DeliveryQueue>();
	readonly #cut = new AbortController();
	/** Whether this instance delivers now. */
	#isDelivering = false;
	/** The agents whose webhooks must be read again; null stands for all agents. */
	readonly #outdated = new Set<string | null>();
	#loading: Promise<void> | null = null;
	#ticking: Promise<void> | null = null;
	/** Null before {@link start} and after {@link stop}. */
	#timer: Timer | null = null;
	#savedAtMs = performance.now();

	constructor(
		context: ServiceContext,
		eventLog: EventLog,
		readonly options: WebhookOptions,
		log: Logger,
	) {
		const { store } = context;
		this.#lease = store.isShared ? new Lease(store, "webhooks", options.leaseEveryMs) : null;
		this.#parts = {
			context,
			eventLog,
			options,
			log,
			tally: this.tally,
			gate: new Gate(BOUNDS),
			cut: this.#cut.signal,
			mayDeliver: () => this.#lease?.isHeld ?? true,
		};
		store.subscribe(({ type, agentId }) => {
			const isExternal = type === EXTERNAL_CHANGE.type;
			if (isExternal || changes.has(type)) afterCommit(() => this.#reload(isExternal ? null : agentId));
		});
	}

	start(): void {
		const everyMs = this.#lease?.everyMs ?? TICK_MS;
		this.#timer = setInterval(() => this.#tick(), Math.min(TICK_MS, everyMs));
		this.#tick();
	}

	/**
	 * Stops after the running attempts have finished or, after {@link STOP_MS}, have been aborted. Stores the
	 * positions and releases the lease.
	 */
	async stop(): Promise<void> {
		clearInterval(this.#timer ?? undefined);
		this.#timer = null;
		const timeout = setTimeout(() => this.#cut.abort(), STOP_MS);
		this.#endDelivering();
		await this.#ticking;
		await this.#loading;
		const queues = [...this.#queues.values()];
		await Promise.all(queues.map(({ done }) => done));
		clearTimeout(timeout);
		this.#cut.abort();
		await this.#savePositions();
		await this.#lease?.release();
	}

	/** Starts the retries that are due. Call it after the testkit has moved the clock. */
	clockMoved(): void {
		const nowMs = this.#parts.context.clock();
		for (const queue of this.#queues.values()) queue.wakeIfDue(nowMs);
	}

	/**
	 * Returns for how many seconds the oldest undelivered message has been due; 0 if there is none.
	 * @throws ResortError `unavailable`
	 */
	async oldestSeconds(): Promise<number> {
		const { store, clock } = this.#parts.context;
		const waiting = await store.read(() => oldestWaiting(store).get({}));
		const nowMs = clock();
		const times = [...this.#queues.values()].map(({ dueSinceMs }) => dueSinceMs ?? nowMs);
		const oldestMs = Math.min(waiting?.createdAt ?? nowMs, ...times);
		return (nowMs - oldestMs) / SECOND_MS;
	}

	/**
	 * Waits for the turn of a ping, and sends it without the delivery queue and without retries.
	 * @throws ResortError `unavailable` if its turn does not come in time
	 */
	async sendPing(
		webhook: Pick<Webhook, "id" | "agentId" | "url" | "network" | "secret">,
	): Promise<{ ping: Due; outcome: Outcome }> {
		const { context, options, gate, cut } = this.#parts;
		const { id, agentId, url, secret } = webhook;
		const ping = createPing(context, id);
		const signal = AbortSignal.timeout(options.attemptMs ?? ATTEMPT_MS);
		const body = await context.store.read(() => bodyOf(context, agentId, ping));
		const release = await gate.enter(turnOf(webhook), signal).catch(() => {
			throw new ResortError("unavailable", "Too many webhooks are being sent", {
				hint: "Repeat the call later.",
				retryAfterSeconds: ATTEMPT_MS / SECOND_MS,
			});
		});
		const message = { url, secret, id: ping.id, body: body ?? "" };
		const outcome = await attempt(options, message, cut).finally(release);
		return { ping, outcome };
	}

	#tick(): void {
		this.#ticking ??= this.#step().finally(() => {
			this.#ticking = null;
		});
	}

	/** Starts or ends the deliveries, depending on the lease; starts due retries, and stores the positions. */
	async #step(): Promise<void> {
		const { store } = this.#parts.context;
		try {
			await this.#lease?.renew();
			// Checks for changes, because webhooks that were created at other instances have no queue here yet.
			await store.withDeadline(async () => store.checkFreshness());
		} catch {
			// The database has failed. The lease expires if it cannot be renewed in time.
		}
		if (this.#timer === null) return;
		if (!this.#parts.mayDeliver()) {
			this.#endDelivering();
			this.#queues.clear();
		} else if (!this.#isDelivering) {
			this.#isDelivering = true;
			this.#reload(null);
		}
		this.clockMoved();
		if (performance.now() - this.#savedAtMs < SAVE_MS) return;
		this.#savedAtMs = performance.now();
		await this.#savePositions();
	}

	#endDelivering(): void {
		for (const queue of this.#queues.values()) queue.end();
		this.#isDelivering = false;
	}

	#reload(agentId: string | null): void {
		if (!this.#isDelivering) return;
		this.#outdated.add(agentId);
		this.#loading ??= this.#load();
	}

	/** Reads the webhooks that have changed. Retries until the database responds. */
	async #load(): Promise<void> {
		const { store } = this.#parts.context;
		for (const agentId of this.#outdated) {
			this.#outdated.delete(agentId);
			try {
				const rows = await store.read(() => {
					if (agentId === null) return activeWebhooks(store).all({});
					return webhooksOfAgent(store).all({ agentId });
				});
				if (this.#isDelivering) this.#replaceQueues(rows, agentId);
			} catch {
				if (this.#isDelivering) this.#outdated.add(agentId);
				await Bun.sleep(SECOND_MS);
			}
		}
		this.#loading = null;
	}

	/**
	 * Ensures that each active webhook in `rows` has a queue, and ends the queues of webhooks that are no
	 * longer active.
	 * @param agentId the owner of all `rows`; the queues of other agents are then kept. Null if `rows` are the
	 * active webhooks of all agents
	 */
	#replaceQueues(rows: readonly Webhook[], agentId: string | null): void {
		const active = rows.filter(({ state }) => state === "active");
		const ids = new Set(active.map(({ id }) => id));
		for (const queue of this.#queues.values()) {
			const { id, agentId: owner } = queue.webhook;
			const isConcerned = agentId === null || owner === agentId;
			if (!queue.isEnded && (!isConcerned || ids.has(id))) continue;
			queue.end();
			this.#queues.delete(id);
		}
		for (const row of active) {
			this.#queues.getOrInsertComputed(row.id, () => new DeliveryQueue(row, this.#parts)).refresh();
		}
	}

	/** Stores the positions of webhooks that received none of the latest events. */
	async #savePositions(): Promise<void> {
		const { store } = this.#parts.context;
		const moved = [...this.#queues.values()].filter(
			({ position, storedPosition }) => position !== storedPosition,
		);
		for (let at = 0; at < moved.length; at += SAVED_AT_ONCE) {
			const rows = moved.slice(at, at + SAVED_AT_ONCE).map((queue) => ({ queue, position: queue.position }));
			try {
				await store.write(function* () {
					for (const { queue, position } of rows)
						yield* movePosition(store).run({ id: queue.webhook.id, position });
				});
			} catch {
				// The next run tries again. If the instance restarts before it, some events are examined twice.
				return;
			}
			for (const { queue, position } of rows) queue.storedPosition = position;
		}
	}
}

declare module "../../core/resort/events/publish.ts" {
	interface InternalEvents {
		/** A webhook has been created or deleted, or must retry a delivery. */
		readonly "webhook.changed": true;
	}
}

declare module "../../core/resort/context.ts" {
	interface Context {
		/** The sender of messages; undefined if webhooks are off. */
		readonly webhooks?: WebhookSender;
	}
}
