import { setImmediate } from "node:timers/promises";
import type { Logger } from "@logtape/logtape";
import { MINUTE_MS, SECOND_MS } from "../core/lib/clock.ts";
import { deleteOldEvents } from "../core/resort/events/publish.ts";
import { deleteExpiredKeys } from "../core/resort/idempotency/queries.ts";
import type { ServiceContext } from "../core/resort/service-context.ts";
import { deleteExpiredSessions } from "../core/resort/sessions/service.ts";
import { endOverdueStays, nextEnd } from "../core/resort/stays/service.ts";

/** The maximum time between two sweeps. Agents cannot plan shorter stays, so each stay is found in time. */
const SWEEP_MS = MINUTE_MS;

/**
 * The minimum time between two sweeps. Without it, there would be hundreds of sweeps per second while a test
 * freezes the clock just before the end of a stay.
 */
const LEAST_MS = SECOND_MS / 10;

/**
 * Ends each stay at its planned end, so that subscribers receive the event. Also deletes expired events,
 * sessions and answers of idempotent calls. If a sweep fails, the next sweep retries.
 */
export class Sweeper {
	#timer: Timer | undefined;
	#isStopped = true;
	/** The running sweep, or the last one if none is running. */
	#sweeping: Promise<void> = Promise.resolve();

	/** @param keptMs how long events are kept, in milliseconds */
	constructor(
		private readonly context: ServiceContext,
		private readonly keptMs: number,
		private readonly log: Logger,
	) {}

	/** Sweeps now, and then periodically. */
	start(): Promise<void> {
		this.#isStopped = false;
		this.#sweeping = this.sweep();
		return this.#sweeping;
	}

	async sweep(): Promise<void> {
		const { clock, store, maxStayMs } = this.context;
		let nextMs = Number.POSITIVE_INFINITY;
		try {
			while (await store.write(() => deleteOldEvents(this.context, this.keptMs))) {
				await setImmediate();
			}
			// Runs after the deletion of old events. The event of an overdue stay has the planned end of the stay
			// as its time, so the event may be old already, and the deletion would remove it at once.
			await endOverdueStays(this.context);
			await store.write(() => deleteExpiredSessions(this.context));
			await store.write(() => deleteExpiredKeys(store).run({ nowMs: clock() }));
			nextMs = await store.read(() => nextEnd(this.context));
		} catch (error) {
			this.log.error("sweep failed", { error: String(error) });
		}
		clearTimeout(this.#timer);
		if (this.#isStopped) return;
		// With a `--max-stay` below a minute, new stays can end before the next regular sweep.
		const everyMs = Math.max(SECOND_MS, Math.min(SWEEP_MS, maxStayMs || SWEEP_MS));
		const inMs = Math.max(LEAST_MS, Math.min(nextMs - clock(), everyMs));
		this.#timer = setTimeout(() => {
			this.#sweeping = this.sweep();
		}, inMs);
	}

	/** Starts no further sweep, and waits until the running sweep has ended. */
	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#timer);
		await this.#sweeping;
	}
}
