import { FairLimiter, type Release } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./call.ts";

/**
 * How many lists may be created at the same time: for a store that one instance uses (`own`), and for a store that
 * several instances share (`shared`). Of the slots, `reserved` are only for client networks that hold no slot yet.
 */
const BOUNDS = {
	own: { running: 1 },
	shared: { running: 4, reserved: 2 },
};

/** The maximum number of queued calls. */
const MAX_WAITING = 1_000;

/**
 * Limits how many uncached lists and pages are created at the same time. Other calls wait in a queue, in which client
 * networks take turns.
 */
export class CreationQueue {
	readonly #limiter: FairLimiter;

	/**
	 * @param store determines the number of slots. A store that is not shared with other instances runs one query at a
	 * time, so creating several lists at the same time would gain nothing
	 */
	constructor({ isShared }: Pick<Store, "isShared">) {
		const bounds = BOUNDS[isShared ? "shared" : "own"];
		this.#limiter = new FairLimiter({ ...bounds, waiting: MAX_WAITING });
	}

	/**
	 * Runs `create` when the caller's network gets a slot.
	 * @throws ResortError `unavailable` if the queue is full or the client disconnects; errors of `create` are passed on
	 */
	async run<T>(call: Call, create: () => Promise<T>): Promise<T> {
		const release = await this.#acquire(call);
		try {
			return await create();
		} finally {
			// Deferred, so that requests that have arrived meanwhile are in the queue before the slot is assigned.
			setImmediate(release);
		}
	}

	async #acquire(call: Call): Promise<Release> {
		const slot = networkSlot(call.address());
		if (!this.#limiter.isBusy(slot)) return this.#limiter.tryAcquire(slot);
		try {
			const { signal } = call.connection;
			return await this.#limiter.acquire({ ...slot, signal });
		} catch {
			throw new ResortError("unavailable", "Too many lists are requested", {
				hint: "Repeat the call later.",
				retryAfterSeconds: 1,
			});
		}
	}
}
