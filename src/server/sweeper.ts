import { setImmediate } from "node:timers/promises";
import type { Logger } from "@logtape/logtape";
import { MINUTE_MS } from "../lib/clock.ts";
import { DueTimer } from "../lib/due-timer.ts";
import type { ServiceContext } from "../resort/context.ts";
import { deleteOldEvents, type EventType } from "../resort/events/publish.ts";
import { deleteExpiredSessions } from "../resort/sessions/service.ts";
import { endOverdueStays, nextEnd } from "../resort/stays/service.ts";

/** How often old events are forgotten, and how often stays are looked at whose ends nobody foresaw. */
const SWEEP_MS = MINUTE_MS;

/**
 * Ends stays as soon as they exceed the longest stay, so that subscribers receive the event, and deletes old events
 * and expired sessions. A failure is logged, and the next sweep tries again.
 */
export class Sweeper {
	readonly #context: ServiceContext;
	readonly #keptMs: number;
	readonly #log: Logger;
	readonly #timer: DueTimer;
	/** When the next sweep is, by the clock of the resort. */
	#dueMs = Number.POSITIVE_INFINITY;
	#isStopped = true;

	/** @param keptMs how long events are kept */
	constructor(context: ServiceContext, keptMs: number, log: Logger) {
		this.#context = context;
		this.#keptMs = keptMs;
		this.#log = log;
		const { store, clock, maxStayMs } = context;
		this.#timer = new DueTimer(clock, () => this.sweep());
		if (maxStayMs === 0) return;
		store.subscribe(({ type }) => {
			const isNew = type === ("agent.relaxing" satisfies EventType);
			if (isNew && clock() + maxStayMs < this.#dueMs) {
				this.#plan(clock() + maxStayMs);
			}
		});
	}

	/** Sweeps now, and from now on. */
	start(): Promise<void> {
		this.#isStopped = false;
		return this.sweep();
	}

	/** Sweeps now, as when the clock was moved. */
	async sweep(): Promise<void> {
		const { clock, store } = this.#context;
		let nextMs = Number.POSITIVE_INFINITY;
		try {
			while (
				await store.write(() => deleteOldEvents(this.#context, this.#keptMs))
			) {
				await setImmediate();
			}
			// After that: what ended long ago is heard of all the same.
			await endOverdueStays(this.#context);
			await store.write(() => deleteExpiredSessions(this.#context));
			nextMs = await store.read(() => nextEnd(this.#context));
		} catch (error) {
			this.#log.error("sweep failed", { error: String(error) });
		}
		this.#plan(Math.min(nextMs, clock() + SWEEP_MS));
	}

	/** A stay that was shown as ended must be so in the database, whatever the next start allows. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		this.#timer.stop();
		await this.sweep();
	}

	#plan(dueMs: number): void {
		this.#timer.stop();
		if (this.#isStopped) return;
		this.#dueMs = dueMs;
		this.#timer.set(dueMs);
	}
}
