import { setImmediate } from "node:timers/promises";
import type { Logger } from "@logtape/logtape";
import { MINUTE_MS, SECOND_MS } from "../lib/clock.ts";
import { deleteOldEvents, type EventType } from "../resort/events/publish.ts";
import { deleteExpiredKeys } from "../resort/idempotency/queries.ts";
import type { ServiceContext } from "../resort/service-context.ts";
import { deleteExpiredSessions } from "../resort/sessions/service.ts";
import { endOverdueStays, nextEnd } from "../resort/stays/service.ts";

/** The maximum time between two sweeps. */
const SWEEP_MS = MINUTE_MS;

/**
 * The bounds of the timer's delay, in milliseconds. A test can set or freeze the resort's clock, so the
 * sweeper must read this clock periodically.
 */
const CHECK_MS = { least: 10, most: SECOND_MS } as const;

/**
 * Ends each stay at the moment when it exceeds `--max-stay`, so that subscribers receive the event. Also
 * deletes old events, expired sessions and expired answers of idempotent calls. A failure is logged, and the
 * next sweep tries again.
 */
export class Sweeper {
	#timer: Timer | undefined;
	/** The time of the next sweep, by the resort's clock. */
	#dueMs = Number.POSITIVE_INFINITY;
	#isStopped = true;

	/** @param keptMs how long events are kept, in milliseconds */
	constructor(
		private readonly context: ServiceContext,
		private readonly keptMs: number,
		private readonly log: Logger,
	) {
		const { store, clock, maxStayMs } = context;
		if (maxStayMs === 0) return;
		store.subscribe(({ type }) => {
			const isNew = type === ("agent.relaxing" satisfies EventType);
			const endMs = clock() + maxStayMs;
			if (isNew && endMs < this.#dueMs) this.#schedule(endMs);
		});
	}

	/** Sweeps now, and then periodically. */
	start(): Promise<void> {
		this.#isStopped = false;
		return this.sweep();
	}

	async sweep(): Promise<void> {
		const { clock, store } = this.context;
		let nextMs = Number.POSITIVE_INFINITY;
		try {
			while (await store.write(() => deleteOldEvents(this.context, this.keptMs))) {
				await setImmediate();
			}
			// Runs after the deletion of old events. Ending a stay adds an event, dated to the moment at which the
			// stay had to end. The deletion could remove this event at once if it ran later.
			await endOverdueStays(this.context);
			await store.write(() => deleteExpiredSessions(this.context));
			await store.write(() => deleteExpiredKeys(store).run({ nowMs: clock() }));
			nextMs = await store.read(() => nextEnd(this.context));
		} catch (error) {
			this.log.error("sweep failed", { error: String(error) });
		}
		this.#schedule(Math.min(nextMs, clock() + SWEEP_MS));
	}

	/**
	 * Sweeps a last time, so that overdue stays are stored as ended. The API already shows them as ended. If
	 * they were stored as open, they would be shown as open again after a restart with a longer `--max-stay`.
	 */
	async stop(): Promise<void> {
		this.#isStopped = true;
		clearTimeout(this.#timer);
		await this.sweep();
	}

	#schedule(dueMs: number): void {
		clearTimeout(this.#timer);
		if (this.#isStopped) return;
		this.#dueMs = dueMs;
		const { clock } = this.context;
		const inMs = Math.max(CHECK_MS.least, dueMs - clock());
		this.#timer = setTimeout(
			() => (clock() < dueMs ? this.#schedule(dueMs) : this.sweep()),
			Math.min(inMs, CHECK_MS.most),
		);
	}
}
