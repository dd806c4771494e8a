import type { Logger } from "@logtape/logtape";
import { SECOND_MS } from "../lib/clock.ts";
import type { FairLimiter, SlotRequest } from "../lib/fair-limiter.ts";
import { ResortError } from "../lib/resort-error.ts";
import { type Filter, isPublic } from "../resort/events/event-filter.ts";
import type { EventLog, Subscription } from "../resort/events/event-log.ts";
import { firstEvent } from "../resort/events/queries.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { recordAttempt } from "./deliveries/attempt-record.ts";
import { firstDue, setNextAttempt } from "./deliveries/queries.ts";
import { type AttemptOptions, attempt } from "./delivery-attempt.ts";
import type { Due, Outcome, Webhook } from "./model.ts";
import { webhookById } from "./queries.ts";
import { bodyOf, deliveryId, signedHeaders } from "./webhook-message.ts";
import { slotOf } from "./webhook-url.ts";

/** The pause after a failure of the storage. */
const PAUSE_MS = SECOND_MS;

/** What the queues of an instance share. */
export interface QueueParts {
	readonly context: ServiceContext;
	readonly eventLog: EventLog;
	readonly limiter: FairLimiter;
	readonly options: AttemptOptions & {
		/** From 0 to 1, for the jitter: it is no secret, and not reproduced by a seed. */
		readonly chance: () => number;
	};
	readonly log: Logger;
	/** Whether this instance delivers. */
	readonly mayDeliver: () => boolean;
	/** Aborts running attempts. */
	readonly cut: AbortSignal;
	/** The number of attempts of the instance. */
	readonly tally: { delivered: number; failed: number };
}

/**
 * Delivers the messages of one active webhook one at a time: new events in their order, from the event log, and
 * messages to retry, from the table of deliveries. A message that waits for its next attempt does not hold up the
 * others; if both a new event and a retry are due, they alternate.
 */
export class DeliveryQueue {
	readonly id: string;
	readonly agentId: string;
	/** Since when the message that is being delivered is due; null if there is none. */
	dueSinceMs: number | null = null;
	/** The position in the database. */
	storedPosition: number;
	readonly #parts: QueueParts;
	readonly #slot: SlotRequest;
	readonly #subscription: Subscription;
	readonly #ending = new AbortController();
	/** Where to read on in the event log, unless the queue has read all events: then the subscription knows. */
	#position: number;
	#isUpToDate = false;
	/** The time of the next retry; null for none, undefined if it has to be read from the database. */
	#retryAtMs: number | null | undefined;
	#wasRetry = false;
	#isWoken = false;
	#running: Promise<void> | null = null;

	constructor(webhook: Webhook, parts: QueueParts) {
		this.id = webhook.id;
		this.agentId = webhook.agentId;
		this.#parts = parts;
		this.#position = webhook.position;
		this.storedPosition = webhook.position;
		const { signal } = this.#ending;
		this.#slot = { ...slotOf(webhook.agentId, webhook.url), signal };
		this.#subscription = parts.eventLog.subscribe(
			{ wake: () => this.wake(), end() {} },
			webhookFilter(webhook),
		);
	}

	/** The last event that was delivered once, or that the webhook does not receive. */
	get position(): number {
		return this.#isUpToDate ? this.#subscription.cursor : this.#position;
	}

	get isEnded(): boolean {
		return this.#ending.signal.aborted;
	}

	/** Delivers what is due. */
	wake(): void {
		this.#isWoken = true;
		if (this.#canDeliver) this.#running ??= this.#run();
	}

	/** Delivers what is due after the webhook or its deliveries have changed in the database. */
	refresh(): void {
		this.#retryAtMs = undefined;
		this.wake();
	}

	/** Wakes the queue if a retry is due, or if it was woken while this instance did not deliver. */
	wakeIfDue(nowMs: number): void {
		const retryAtMs = this.#retryAtMs ?? Number.POSITIVE_INFINITY;
		if (this.#isWoken || retryAtMs <= nowMs) this.wake();
	}

	/** Begins no further attempt. */
	end(): void {
		if (this.isEnded) return;
		this.#subscription.end();
		this.#ending.abort(new Error("ended"));
	}

	/** Resolves when nothing is being delivered. */
	async idle(): Promise<void> {
		await this.#running;
	}

	get #canDeliver(): boolean {
		return !this.isEnded && this.#parts.mayDeliver();
	}

	async #run(): Promise<void> {
		while (this.#isWoken && this.#canDeliver) {
			this.#isWoken = false;
			try {
				if (await this.#deliverNext()) this.#isWoken = true;
			} catch (error) {
				this.#isWoken = true;
				this.#retryAtMs = undefined;
				if (!this.isEnded) await this.#pauseAfter(error);
			}
		}
		this.#running = null;
	}

	/** @returns whether a message was due */
	async #deliverNext(): Promise<boolean> {
		const retry = await this.#nextRetry();
		const isRetryFirst = retry !== null && !this.#wasRetry;
		const due = isRetryFirst ? retry : ((await this.#nextEvent()) ?? retry);
		this.#wasRetry = isRetryFirst;
		if (due === null) return false;
		try {
			const outcome = await this.#parts.limiter.run(this.#slot, () =>
				this.#attempt(due),
			);
			if (outcome === "ended") this.end();
			else if (outcome === "deleted") await this.#skip(due);
			else if (outcome !== "postponed") await this.#record(due, outcome);
		} finally {
			this.dueSinceMs = null;
		}
		return true;
	}

	async #nextRetry(): Promise<Due | null> {
		const { store, clock } = this.#parts.context;
		const retryAtMs = this.#retryAtMs;
		if (retryAtMs === null || (retryAtMs ?? 0) > clock()) return null;
		// refresh() sets it to undefined while the query runs.
		this.#retryAtMs = null;
		const webhookId = this.id;
		const row = await store.read(() => firstDue(store).get({ webhookId }));
		const nextAt = row?.nextAt ?? null;
		if (this.#retryAtMs === null) this.#retryAtMs = nextAt;
		if (row === undefined || nextAt === null || nextAt > clock()) return null;
		this.dueSinceMs = row.createdAt;
		return row;
	}

	async #nextEvent(): Promise<Due | null> {
		const { context } = this.#parts;
		this.#position = this.position;
		this.#isUpToDate = false;
		// A search examines a limited number of events.
		while (!this.#isUpToDate) {
			const { events, cursor, isForgotten } = await this.#subscription.next(
				this.#position,
				1,
			);
			const [event] = events;
			if (event !== undefined) {
				this.dueSinceMs = Date.parse(event.at);
				return {
					...{ id: deliveryId(this.id, event.id), eventId: Number(event.id) },
					...{ createdAt: context.clock(), attempt: 0 },
				};
			}
			const next = isForgotten ? await this.#beforeFirst(cursor) : cursor;
			this.#isUpToDate = next === this.#position;
			this.#position = next;
		}
		return null;
	}

	/** Returns where to read on if events have been deleted: before the oldest one that is left. */
	async #beforeFirst(newest: number): Promise<number> {
		const { store } = this.#parts.context;
		const first = await store.read(() => firstEvent(store).get({}));
		return first === undefined ? newest : first.id - 1;
	}

	async #attempt(
		due: Due,
	): Promise<Outcome | "postponed" | "deleted" | "ended"> {
		const { context, options, cut } = this.#parts;
		const { id } = this;
		// Read again: the message may have waited for its slot for a long time.
		const [webhook, body] = await context.store.read(function* () {
			const webhook = yield* webhookById(context.store).get({ id });
			if (webhook === undefined) return [undefined, null] as const;
			return [webhook, yield* bodyOf(context, webhook.agentId, due)] as const;
		});
		if (!this.#canDeliver) return "postponed";
		if (webhook?.state !== "active") return "ended";
		if (body === null) return "deleted";
		const { url, secret } = webhook;
		const headers = signedHeaders(secret, due.id, body, Date.now());
		return attempt(options, { url, headers, body }, cut);
	}

	/** Stores the result of an attempt. Retries until it is stored: the message must not be sent again. */
	async #record(due: Due, outcome: Outcome): Promise<void> {
		const { context, options, cut, tally } = this.#parts;
		tally[outcome.failure === null ? "delivered" : "failed"]++;
		for (;;) {
			try {
				const recorded = await context.store.write(() =>
					recordAttempt(context, this.id, due, outcome, options.chance()),
				);
				if (recorded?.state !== "active") this.end();
				if (due.attempt === 0 && due.eventId !== null) {
					this.#position = due.eventId;
					this.storedPosition = due.eventId;
				}
				if (due.attempt > 0 || outcome.failure !== null) this.refresh();
				return;
			} catch (error) {
				if (cut.aborted) throw error;
				await this.#pauseAfter(error);
			}
		}
	}

	/** Skips a message whose event has been deleted. */
	async #skip({ id, attempt, eventId }: Due): Promise<void> {
		if (attempt === 0) {
			this.#position = eventId ?? this.#position;
			return;
		}
		const { store } = this.#parts.context;
		await store.write(() => setNextAttempt(store).run({ id, nextAt: null }));
		this.refresh();
	}

	async #pauseAfter(error: unknown): Promise<void> {
		// Requests that fail report an outage of the storage.
		if (!(error instanceof ResortError)) {
			this.#parts.log.error("webhook failed", { error: String(error) });
		}
		if (!this.#parts.cut.aborted) await Bun.sleep(PAUSE_MS);
	}
}

/** Selects the public events of a webhook's agents, or all public events and its owner's private ones. */
function webhookFilter({ agentId: owner, types, agentIds }: Webhook): Filter {
	const agents = agentIds && new Set(agentIds);
	return {
		types: types && new Set(types),
		fits: (event) =>
			agents === null
				? isPublic(event) || event.recipientId === owner
				: isPublic(event) && agents.has(event.agentId),
	};
}
