import type { Logger } from "@logtape/logtape";
import { SECOND_MS } from "../lib/clock.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Filter } from "../resort/events/filter.ts";
import type { Follower } from "../resort/events/tail.ts";
import type { Resort } from "../resort/resort.ts";
import {
	bodyOf,
	type Due,
	deliveryId,
} from "../resort/webhooks/deliveries/message.ts";
import {
	firstDue,
	setNextAttempt,
} from "../resort/webhooks/deliveries/queries.ts";
import {
	type Outcome,
	recordAttempt,
	type Webhook,
} from "../resort/webhooks/deliveries/rules.ts";
import { subscriptionFilter } from "../resort/webhooks/filter.ts";
import { webhookById } from "../resort/webhooks/queries.ts";
import { attempt, type Way } from "./attempt.ts";
import { signedHeaders } from "./sign.ts";
import type { Slots } from "./slots.ts";
import { hostOf } from "./target.ts";

/** The pause after the storage did not answer. */
const PAUSE_MS = SECOND_MS;

/** The longest timer that the runtime has, in milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** What the workers of an instance have in common. */
export interface WorkerParts {
	readonly resort: Resort;
	readonly follower: Follower;
	readonly slots: Slots;
	readonly way: Way;
	/** From 0 to 1, for the time of the next attempt. */
	readonly chance: () => number;
	readonly log: Logger;
	/** Whether this instance is the one that sends. */
	readonly maySend: () => boolean;
	/** Cuts off what is being sent. */
	readonly cut: AbortSignal;
	readonly onAttempt: (outcome: Outcome) => void;
}

/** What an attempt needs to know beside the delivery itself. */
type Job = Due & { readonly sinceMs: number };

/**
 * Sends what one webhook is to hear of: one message at a time, events in their order. A message that waits for its
 * next attempt lets those behind it pass; when both are due they take turns.
 */
export class Worker {
	readonly id: string;
	readonly agentId: string;
	/** The last event that was sent, or is none of its. */
	position: number;
	/** The position in the database. */
	storedPosition: number;
	readonly #parts: WorkerParts;
	readonly #fits: Filter;
	readonly #host: string;
	readonly #ending = new AbortController();
	/** When a message is to be sent again: null for never, undefined when that has to be looked up. */
	#dueMs: number | null | undefined;
	#wasAgain = false;
	#isAsked = false;
	#going: Promise<void> | null = null;
	#timer: Timer | null = null;
	#current: Job | null = null;

	constructor(webhook: Webhook, parts: WorkerParts) {
		this.id = webhook.id;
		this.agentId = webhook.agentId;
		this.position = webhook.position;
		this.storedPosition = webhook.position;
		this.#parts = parts;
		this.#fits = subscriptionFilter(webhook);
		this.#host = hostOf(webhook.url);
	}

	/** Since when what is being sent is due; null when nothing is. */
	get sinceMs(): number | null {
		return this.#current?.sinceMs ?? null;
	}

	get isEnded(): boolean {
		return this.#ending.signal.aborted;
	}

	/** Looks whether there is something to send. */
	kick(): void {
		this.#isAsked = true;
		this.#going ??= this.#go();
	}

	/** Looks also at what is to be sent again. */
	changed(): void {
		this.#dueMs = undefined;
		this.kick();
	}

	/** Begins nothing more. */
	end(): void {
		this.#ending.abort(new Error("ended"));
		this.#stopTimer();
	}

	/** Resolves when nothing is being sent any more. */
	async idle(): Promise<void> {
		await this.#going;
	}

	async #go(): Promise<void> {
		while (this.#isAsked && !this.isEnded) {
			this.#isAsked = false;
			try {
				while (!this.isEnded && (await this.#sendNext()));
			} catch (error) {
				if (this.isEnded) break;
				this.#tell(error);
				this.#isAsked = true;
				await this.#pause();
			}
		}
		this.#going = null;
		this.#plan();
	}

	/** @returns whether there was something to send */
	async #sendNext(): Promise<boolean> {
		if (!this.#parts.maySend()) return false;
		const job = await this.#pick();
		if (job === null) return false;
		this.#current = job;
		try {
			await this.#send(job);
		} finally {
			this.#current = null;
		}
		return true;
	}

	async #pick(): Promise<Job | null> {
		const again = await this.#nextAgain();
		if (again !== null && !this.#wasAgain) {
			this.#wasAgain = true;
			return again;
		}
		this.#wasAgain = false;
		return (await this.#nextEvent()) ?? again;
	}

	async #nextAgain(): Promise<Job | null> {
		const { store, clock } = this.#parts.resort;
		const isKnown = this.#dueMs !== undefined;
		if (isKnown && (this.#dueMs ?? Number.POSITIVE_INFINITY) > clock()) {
			return null;
		}
		const webhookId = this.id;
		const row = await store.read(function* () {
			return yield* firstDue(store).get({ webhookId });
		});
		this.#dueMs = row?.nextAt ?? null;
		if (row === undefined || (row.nextAt ?? 0) > clock()) return null;
		return { ...row, sinceMs: row.createdAt };
	}

	async #nextEvent(): Promise<Job | null> {
		const { follower, resort } = this.#parts;
		for (;;) {
			const found = await follower.next(this.position, this.#fits, 1);
			const [event] = found.events;
			if (event !== undefined) {
				const eventId = Number(event.id);
				return {
					...{ id: deliveryId(this.id, eventId), eventId, attempt: 0 },
					createdAt: resort.clock(),
					sinceMs: Date.parse(event.at),
				};
			}
			if (found.cursor === this.position) return null;
			this.position = found.cursor;
		}
	}

	async #send(job: Job): Promise<void> {
		const { slots, onAttempt } = this.#parts;
		const outcome = await slots.run(this.#host, this.#ending.signal, () =>
			this.#attempt(job),
		);
		if (outcome === "later") return;
		if (outcome === "forgotten") return this.#drop(job);
		if (outcome === "ended") return this.end();
		onAttempt(outcome);
		await this.#record(job, outcome);
	}

	async #attempt(job: Job): Promise<Outcome | "later" | "forgotten" | "ended"> {
		const { resort, way, maySend, cut } = this.#parts;
		const { id } = this;
		// It may have waited for its place for long: the database tells what is so now.
		const [webhook, body] = await resort.store.read(function* () {
			const webhook = yield* webhookById(resort.store).get({ id });
			if (webhook === undefined) return [undefined, null] as const;
			return [webhook, yield* bodyOf(resort, webhook.agentId, job)] as const;
		});
		if (this.isEnded || !maySend()) return "later";
		if (webhook?.state !== "active") return "ended";
		if (body === null) return "forgotten";
		const { url, secret } = webhook;
		const headers = signedHeaders(secret, job.id, body, Date.now());
		return attempt(way, { url, headers, body }, cut);
	}

	/** Tries until it is written down: the message has been sent, and must not be sent again for that. */
	async #record(job: Job, outcome: Outcome): Promise<void> {
		const { resort, chance, cut } = this.#parts;
		const { sinceMs: _, ...due } = job;
		for (;;) {
			try {
				const recorded = await resort.store.change(() =>
					recordAttempt(resort, this.id, due, outcome, chance()),
				);
				if (recorded?.webhook.state !== "active") this.end();
				if (due.attempt > 0 || recorded?.delivery.nextAt != null) {
					this.#dueMs = undefined;
				}
				if (due.attempt === 0 && due.eventId !== null) {
					this.position = due.eventId;
					this.storedPosition = due.eventId;
				}
				return;
			} catch (error) {
				if (cut.aborted) throw error;
				this.#tell(error);
				await this.#pause();
			}
		}
	}

	/** The event has been forgotten: nobody can be told any more. */
	async #drop({ id, eventId, attempt }: Job): Promise<void> {
		const { store } = this.#parts.resort;
		if (attempt === 0) {
			this.position = eventId ?? this.position;
			return;
		}
		await store.change(function* () {
			yield* setNextAttempt(store).run({ id, nextAt: null });
		});
		this.#dueMs = undefined;
	}

	#plan(): void {
		this.#stopTimer();
		if (this.isEnded || this.#dueMs == null) return;
		const inMs = Math.max(0, this.#dueMs - this.#parts.resort.clock());
		const kick = () => this.kick();
		this.#timer = setTimeout(kick, Math.min(inMs, LONGEST_MS));
	}

	#stopTimer(): void {
		if (this.#timer !== null) clearTimeout(this.#timer);
		this.#timer = null;
	}

	#tell(error: unknown): void {
		// An outage of the storage is told by those who are answered with it.
		if (error instanceof ResortError) return;
		this.#parts.log.error("webhook failed", { error: String(error) });
	}

	async #pause(): Promise<void> {
		if (!this.#parts.cut.aborted) await Bun.sleep(PAUSE_MS);
	}
}
