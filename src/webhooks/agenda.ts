import type { ServiceContext } from "../resort/context.ts";
import type { EventLog, Subscription } from "../resort/events/event-log.ts";
import { firstEvent } from "../resort/events/queries.ts";
import { type Due, deliveryId } from "../resort/webhooks/deliveries/message.ts";
import { firstDue } from "../resort/webhooks/deliveries/queries.ts";
import type { Webhook } from "../resort/webhooks/deliveries/service.ts";
import { subscriptionFilter } from "../resort/webhooks/filter.ts";

/** A message that is due. */
export interface Job {
	readonly due: Due;
	/** Since when, in milliseconds since the epoch. */
	readonly sinceMs: number;
}

/**
 * What a webhook is to be sent next: events in their order. A message that waits for its next attempt lets those behind
 * it pass; when both are due they take turns.
 */
export class Agenda {
	/** The position in the database. */
	storedPosition: number;
	#position: number;
	/** Whether all events have been looked at: then the follower tells how far that is. */
	#isUpToDate = false;
	readonly #webhookId: string;
	readonly #context: ServiceContext;
	readonly #follower: Subscription;
	/** When a message is to be sent again: null for never, undefined when that has to be looked up. */
	#dueMs: number | null | undefined;
	/** How often it has changed: what was being looked up meanwhile may be older. */
	#changes = 0;
	#wasAgain = false;

	/** @param wake is called when there may be an event; {@link end} ends that */
	constructor(
		webhook: Webhook,
		context: ServiceContext,
		eventLog: EventLog,
		wake: () => void,
	) {
		this.#webhookId = webhook.id;
		this.#position = webhook.position;
		this.storedPosition = webhook.position;
		this.#context = context;
		const fits = subscriptionFilter(webhook);
		this.#follower = eventLog.subscribe({ wake, end() {} }, fits);
	}

	/** The last event that was sent, or is none of its. */
	get position(): number {
		return this.#isUpToDate ? this.#follower.cursor : this.#position;
	}

	/** When a message is to be sent again, as far as that is known; null for never. */
	get dueMs(): number | null {
		return this.#dueMs ?? null;
	}

	/** Looks up what is to be sent again before it is asked for next. */
	changed(): void {
		this.#changes++;
		this.#dueMs = undefined;
	}

	/** Goes on behind an event. */
	pass(eventId: number): void {
		this.#position = eventId;
	}

	/** Lets go of the events; must be called. */
	end(): void {
		this.#follower.end();
	}

	/**
	 * What is due first; null when nothing is.
	 * @throws ResortError `unavailable`
	 */
	async next(): Promise<Job | null> {
		const again = await this.#nextAgain();
		if (again !== null && !this.#wasAgain) {
			this.#wasAgain = true;
			return again;
		}
		this.#wasAgain = false;
		return (await this.#nextEvent()) ?? again;
	}

	async #nextAgain(): Promise<Job | null> {
		const { store, clock } = this.#context;
		const known = this.#dueMs;
		if (known === null || (known !== undefined && known > clock())) return null;
		const webhookId = this.#webhookId;
		const before = this.#changes;
		const row = await store.read(() => firstDue(store).get({ webhookId }));
		const nextAt = row?.nextAt ?? null;
		if (this.#changes === before) this.#dueMs = nextAt;
		if (row === undefined || nextAt === null || nextAt > clock()) return null;
		return { due: row, sinceMs: row.createdAt };
	}

	/** Where to go on when events have been forgotten: those that are kept are sent. */
	async #beforeFirst(newest: number): Promise<number> {
		const { store } = this.#context;
		const first = await store.read(() => firstEvent(store).get({}));
		return first === undefined ? newest : first.id - 1;
	}

	async #nextEvent(): Promise<Job | null> {
		this.#position = this.position;
		this.#isUpToDate = false;
		for (;;) {
			const found = await this.#follower.next(this.#position, 1);
			const [event] = found.events;
			if (event !== undefined) {
				const eventId = Number(event.id);
				const id = deliveryId(this.#webhookId, eventId);
				const createdAt = this.#context.clock();
				return {
					due: { id, eventId, createdAt, attempt: 0 },
					sinceMs: Date.parse(event.at),
				};
			}
			const cursor = found.isForgotten
				? await this.#beforeFirst(found.cursor)
				: found.cursor;
			// A search looks at so many events at a time.
			this.#isUpToDate = cursor === this.#position;
			if (this.#isUpToDate) return null;
			this.#position = cursor;
		}
	}
}
