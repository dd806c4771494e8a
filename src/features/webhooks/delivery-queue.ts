import type { Logger } from "@logtape/logtape";
import { SECOND_MS } from "../../core/lib/clock.ts";
import type { Gate } from "../../core/lib/gate.ts";
import { ResortError } from "../../core/lib/resort-error.ts";
import { WaitSignal } from "../../core/lib/wait-signal.ts";
import { type Filter, filterOfRecipient, publicFilter } from "../../core/resort/events/event-filter.ts";
import type { EventLog, Subscription } from "../../core/resort/events/event-log.ts";
import { oldestEvents } from "../../core/resort/events/queries.ts";
import type { ServiceContext } from "../../core/resort/service-context.ts";
import { recordAttempt } from "./attempt-record.ts";
import { attempt, type WebhookOptions } from "./delivery-attempt.ts";
import type { Due, Outcome, Webhook } from "./model.ts";
import { firstDue, setNextAttempt, webhookById } from "./queries.ts";
import { bodyOf, deliveryId } from "./webhook-message.ts";

/** The pause after a failure of the database. */
const PAUSE_MS = SECOND_MS;

/** The parts that all queues of an instance share. */
export interface QueueParts {
	readonly context: ServiceContext;
	readonly eventLog: EventLog;
	/** Limits the concurrent deliveries in total, and for each network from which webhooks were created. */
	readonly gate: Gate;
	readonly options: WebhookOptions;
	readonly log: Logger;
	/** Whether this instance may deliver. If instances share a database, only the holder of the lease may. */
	readonly mayDeliver: () => boolean;
	/** Aborts the running attempts. */
	readonly cut: AbortSignal;
	/** The number of attempts made by this instance. */
	readonly tally: { delivered: number; failed: number };
}

/**
 * Delivers the messages of one active webhook, one at a time: new events in order from the event log, and
 * retries from the table of deliveries, alternately if both are due. A message that waits for a retry does
 * not delay other messages.
 */
export class DeliveryQueue {
	/** Resolves when the queue has ended and its last attempt is finished. */
	readonly done: Promise<void>;
	/**
	 * The time at which the message that is being delivered became due; null if no message is being delivered.
	 */
	dueSinceMs: number | null = null;
	/** The {@link position} that was last stored in the database. */
	storedPosition: number;
	readonly #subscription: Subscription;
	readonly #signal = new WaitSignal();
	readonly #ending = new AbortController();
	/** The event id after which to continue; null to continue after the subscription's cursor. */
	#resumeAt: number | null;
	/** The time of the next retry; Infinity if there is none; 0 if the time must be read from the database. */
	#retryAtMs = 0;
	#wasRetry = false;

	constructor(
		readonly webhook: Webhook,
		private readonly parts: QueueParts,
	) {
		this.#resumeAt = webhook.position;
		this.storedPosition = webhook.position;
		this.#subscription = parts.eventLog.subscribe(this.#signal, webhookFilter(webhook), turnOf(webhook));
		this.done = this.#run();
	}

	/** The id of the last event that was delivered or filtered out. */
	get position(): number {
		return this.#resumeAt ?? this.#subscription.cursor;
	}

	/** Reads the next retry from the database. Call it after the webhook or its deliveries have changed. */
	refresh(): void {
		this.#retryAtMs = 0;
		this.#signal.wake();
	}

	/** Wakes the queue if a retry is due. */
	wakeIfDue(nowMs: number): void {
		if (this.#retryAtMs <= nowMs) this.#signal.wake();
	}

	/** Ends the queue after the running attempt. */
	end(): void {
		this.#signal.end();
		this.#subscription.end();
		this.#ending.abort(new Error("ended"));
	}

	get isEnded(): boolean {
		return this.#signal.isOver;
	}

	async #run(): Promise<void> {
		while (await this.#signal.next()) {
			try {
				while (!this.isEnded && (await this.#deliverNext()));
			} catch (error) {
				if (this.isEnded) return;
				await this.#pauseAfter(error);
				this.refresh();
			}
		}
	}

	/** @returns whether a message was due */
	async #deliverNext(): Promise<boolean> {
		const retry = await this.#nextRetry();
		const isRetryFirst = retry !== null && !this.#wasRetry;
		const due = isRetryFirst ? retry : ((await this.#nextEvent()) ?? retry);
		this.#wasRetry = isRetryFirst;
		if (due === null) return false;
		try {
			await this.#deliver(due);
		} finally {
			this.dueSinceMs = null;
		}
		return true;
	}

	async #nextRetry(): Promise<Due | null> {
		const { store, clock } = this.parts.context;
		if (this.#retryAtMs > clock()) return null;
		// Set before the query, because `refresh` may set the field to 0 while the query runs.
		this.#retryAtMs = Number.POSITIVE_INFINITY;
		const webhookId = this.webhook.id;
		const row = await store.read(() => firstDue(store).get({ webhookId }));
		const nextAt = row?.nextAt ?? Number.POSITIVE_INFINITY;
		this.#retryAtMs = Math.min(this.#retryAtMs, nextAt);
		if (row === undefined || nextAt > clock()) return null;
		this.dueSinceMs = row.createdAt;
		return row;
	}

	async #nextEvent(): Promise<Due | null> {
		const { store, clock } = this.parts.context;
		for (;;) {
			const since = this.position;
			this.#resumeAt = since;
			const page = await this.#subscription.next(since, 1);
			const [event] = page.events;
			if (event !== undefined) {
				this.dueSinceMs = event.at;
				const id = deliveryId(this.webhook.id, event.id);
				return { id, eventId: event.id, createdAt: clock(), attempt: 0 };
			}
			if (page.isForgotten) {
				// Some events have been deleted. Continues with the oldest remaining event.
				const first = await store.read(() => oldestEvents(store).get({ limit: 1 }));
				this.#resumeAt = first === undefined ? page.cursor : first.id - 1;
			} else {
				this.#resumeAt = null;
				// The page may be empty although later events match, because a search examines a limited number of
				// events. But if the cursor has not moved, there are no later events.
				if (page.cursor === since) return null;
			}
		}
	}

	/** Waits for the turn of a message, then makes one attempt and stores its result. */
	async #deliver(due: Due): Promise<void> {
		const { context, gate, options, mayDeliver, cut } = this.parts;
		const { id, agentId } = this.webhook;
		const release = await gate.enter(turnOf(this.webhook), this.#ending.signal);
		let outcome: Outcome;
		try {
			// The webhook is read again, because the message may have waited for a long time.
			const [webhook, body] = await context.store.read(function* () {
				const current = yield* webhookById(context.store).get({ id });
				return [current, yield* bodyOf(context, agentId, due)] as const;
			});
			if (webhook?.state !== "active") this.end();
			if (webhook === undefined || this.isEnded) return;
			if (body === null) return await this.#skip(due);
			if (!mayDeliver()) throw new ResortError("unavailable", "No lease");
			const { url, secret } = webhook;
			outcome = await attempt(options, { url, secret, id: due.id, body }, cut);
		} finally {
			release();
		}
		await this.#record(due, outcome);
	}

	/** Stores the result of an attempt. Retries until this succeeds, so that the message is not sent again. */
	async #record(due: Due, outcome: Outcome): Promise<void> {
		const { context, options, cut, tally } = this.parts;
		tally[outcome.failure === null ? "delivered" : "failed"]++;
		for (;;) {
			try {
				const result = { webhookId: this.webhook.id, due, outcome, chance: options.chance?.() ?? 0 };
				const recorded = await context.store.write(() => recordAttempt(context, result));
				if (recorded?.state !== "active") this.end();
				if (due.attempt === 0 && due.eventId !== null) {
					this.#resumeAt = null;
					this.storedPosition = due.eventId;
				}
				if (outcome.failure !== null) this.refresh();
				return;
			} catch (error) {
				if (cut.aborted) throw error;
				await this.#pauseAfter(error);
			}
		}
	}

	/** Skips a message whose event has been deleted. */
	async #skip({ id, attempt }: Due): Promise<void> {
		if (attempt === 0) {
			this.#resumeAt = null;
			return;
		}
		const { store } = this.parts.context;
		await store.write(() => setNextAttempt(store).run({ id, nextAt: null }));
		this.refresh();
	}

	async #pauseAfter(error: unknown): Promise<void> {
		// A `ResortError` means an outage of the database, which other requests log.
		if (!(error instanceof ResortError)) {
			this.parts.log.error("webhook failed", { error: String(error) });
		}
		if (!this.parts.cut.aborted) await Bun.sleep(PAUSE_MS);
	}
}

/** Returns the key for the limit of concurrent deliveries: the network or, if none is stored, the agent. */
export function turnOf({ network, agentId }: Pick<Webhook, "network" | "agentId">): string {
	return network ?? agentId;
}

/**
 * Returns the filter of a webhook: the public events of the agents that it names or, if it names none, all
 * public events and the private events for the webhook's owner.
 */
function webhookFilter({ agentId: owner, types, agentIds }: Webhook): Filter {
	const selected = types && new Set(types);
	return agentIds === null ? filterOfRecipient(selected, owner) : publicFilter(selected, new Set(agentIds));
}
