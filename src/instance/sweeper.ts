import type { Logger } from "@logtape/logtape";
import { MINUTE_MS } from "../lib/clock.ts";
import { DueTimer } from "../lib/due-timer.ts";
import { pause } from "../lib/pause.ts";
import { forgetOldEvents, type NewsType } from "../resort/events/tell.ts";
import type { Resort } from "../resort/resort.ts";
import { endOverdueStays, nextEnd } from "../resort/stays/rules.ts";

/** How often old events are forgotten, and how often stays are looked at whose ends nobody foresaw. */
const SWEEP_MS = MINUTE_MS;

/**
 * Ends stays at the moment when they have passed the longest stay allowed, so that whoever waits hears of it, and
 * forgets old events. A failure is logged, and the next sweep tries again.
 */
export class Sweeper {
	readonly #resort: Resort;
	readonly #keptMs: number;
	readonly #log: Logger;
	readonly #timer: DueTimer;
	/** When the next sweep is, by the clock of the resort. */
	#dueMs = Number.POSITIVE_INFINITY;
	#isStopped = true;

	/** @param keptMs how long events are kept */
	constructor(resort: Resort, keptMs: number, log: Logger) {
		this.#resort = resort;
		this.#keptMs = keptMs;
		this.#log = log;
		const { store, clock, maxStayMs } = resort;
		this.#timer = new DueTimer(clock, () => this.sweep());
		if (maxStayMs === 0) return;
		store.listen(({ type }) => {
			const isNew = type === ("agent.relaxing" satisfies NewsType);
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
		const { clock, store } = this.#resort;
		let nextMs = Number.POSITIVE_INFINITY;
		try {
			while (
				await store.change(() => forgetOldEvents(this.#resort, this.#keptMs))
			) {
				await pause();
			}
			// After that: what ended long ago is heard of all the same.
			await endOverdueStays(this.#resort);
			nextMs = await store.read(() => nextEnd(this.#resort));
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
