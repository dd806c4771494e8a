import type { Logger } from "@logtape/logtape";
import { SECOND_MS } from "../lib/clock.ts";
import { DueTimer } from "../lib/due-timer.ts";
import type { FairLimiter, SlotRequest } from "../lib/fair-limiter.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { ServiceContext } from "../resort/context.ts";
import type { EventLog } from "../resort/events/event-log.ts";
import { bodyOf, type Due } from "../resort/webhooks/deliveries/message.ts";
import { setNextAttempt } from "../resort/webhooks/deliveries/queries.ts";
import {
	type Outcome,
	recordAttempt,
	type Webhook,
} from "../resort/webhooks/deliveries/service.ts";
import { webhookById } from "../resort/webhooks/queries.ts";
import { Agenda } from "./agenda.ts";
import { attempt, type Way } from "./attempt.ts";
import { signedHeaders } from "./sign.ts";
import { slotOf } from "./target.ts";

/** The pause after the storage did not answer. */
const PAUSE_MS = SECOND_MS;

/** What the workers of an instance have in common. */
export interface WorkerParts {
	readonly context: ServiceContext;
	readonly eventLog: EventLog;
	readonly limiter: FairLimiter;
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

/** Sends what one webhook is to hear of, one message at a time. */
export class Worker {
	readonly id: string;
	readonly agentId: string;
	/** Since when what is being sent is due; null when nothing is. */
	sinceMs: number | null = null;
	readonly agenda: Agenda;
	readonly #parts: WorkerParts;
	readonly #slot: SlotRequest;
	readonly #ending = new AbortController();
	#isAsked = false;
	#going: Promise<void> | null = null;
	readonly #timer: DueTimer;

	constructor(webhook: Webhook, parts: WorkerParts) {
		this.id = webhook.id;
		this.agentId = webhook.agentId;
		this.#parts = parts;
		this.#slot = {
			...slotOf(webhook.agentId, webhook.url),
			signal: this.#ending.signal,
		};
		this.#timer = new DueTimer(parts.context.clock, () => this.kick());
		const { context, eventLog } = parts;
		this.agenda = new Agenda(webhook, context, eventLog, () => this.kick());
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
		this.agenda.changed();
		this.kick();
	}

	/** Begins nothing more. */
	end(): void {
		if (!this.isEnded) this.agenda.end();
		this.#ending.abort(new Error("ended"));
		this.#timer.stop();
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
				this.#isAsked = true;
				await this.#pauseAfter(error);
			}
		}
		this.#going = null;
		this.#plan();
	}

	/** @returns whether there was something to send */
	async #sendNext(): Promise<boolean> {
		const { limiter, maySend } = this.#parts;
		if (!maySend()) return false;
		const job = await this.agenda.next();
		if (job === null) return false;
		this.sinceMs = job.sinceMs;
		try {
			const outcome = await limiter.run(this.#slot, () =>
				this.#attempt(job.due),
			);
			if (outcome === "ended") this.end();
			else if (outcome === "forgotten") await this.#drop(job.due);
			else if (outcome !== "later") await this.#record(job.due, outcome);
		} finally {
			this.sinceMs = null;
		}
		return true;
	}

	async #attempt(due: Due): Promise<Outcome | "later" | "forgotten" | "ended"> {
		const { context, way, maySend, cut } = this.#parts;
		const { id } = this;
		// It may have waited for its place for long: the database tells what is so now.
		const [webhook, body] = await context.store.read(function* () {
			const webhook = yield* webhookById(context.store).get({ id });
			if (webhook === undefined) return [undefined, null] as const;
			return [webhook, yield* bodyOf(context, webhook.agentId, due)] as const;
		});
		if (this.isEnded || !maySend()) return "later";
		if (webhook?.state !== "active") return "ended";
		if (body === null) return "forgotten";
		const { url, secret } = webhook;
		const headers = signedHeaders(secret, due.id, body, Date.now());
		return attempt(way, { url, headers, body }, cut);
	}

	/** Tries until it is written down: the message has been sent, and must not be sent again for that. */
	async #record(due: Due, outcome: Outcome): Promise<void> {
		const { context, chance, cut, onAttempt } = this.#parts;
		onAttempt(outcome);
		for (;;) {
			try {
				const recorded = await context.store.write(() =>
					recordAttempt(context, this.id, due, outcome, chance()),
				);
				if (recorded?.webhook.state !== "active") this.end();
				const isFirst = due.attempt === 0;
				if (isFirst && due.eventId !== null) {
					this.agenda.pass(due.eventId);
					this.agenda.storedPosition = due.eventId;
				}
				if (!isFirst || outcome.failure !== null) this.agenda.changed();
				return;
			} catch (error) {
				if (cut.aborted) throw error;
				await this.#pauseAfter(error);
			}
		}
	}

	/** The event has been forgotten: nobody can be told any more. */
	async #drop({ id, eventId, attempt }: Due): Promise<void> {
		const { store } = this.#parts.context;
		if (attempt === 0) {
			if (eventId !== null) this.agenda.pass(eventId);
			return;
		}
		await store.write(() => setNextAttempt(store).run({ id, nextAt: null }));
		this.agenda.changed();
	}

	#plan(): void {
		this.#timer.stop();
		const { dueMs } = this.agenda;
		if (!this.isEnded && dueMs !== null) this.#timer.set(dueMs);
	}

	async #pauseAfter(error: unknown): Promise<void> {
		// An outage of the storage is told by those who are answered with it.
		if (!(error instanceof ResortError)) {
			this.#parts.log.error("webhook failed", { error: String(error) });
		}
		if (!this.#parts.cut.aborted) await Bun.sleep(PAUSE_MS);
	}
}
