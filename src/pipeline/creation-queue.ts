import { FairLimiter, type Release } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./call.ts";

/** How many lists are created at a time, and how many of these only for networks that have none. */
const BOUNDS = {
	own: { running: 1 },
	shared: { running: 4, reserved: 2 },
};

/** The most calls that wait. */
const MAX_WAITING = 1_000;

/** Queues the creation of lists and pages that are not cached, fairly by network. */
export class CreationQueue {
	readonly #limiter: FairLimiter;

	/** @param store a database of its own runs a query to its end before anything else */
	constructor({ isShared }: Pick<Store, "isShared">) {
		const bounds = BOUNDS[isShared ? "shared" : "own"];
		this.#limiter = new FairLimiter({ ...bounds, waiting: MAX_WAITING });
	}

	/**
	 * Runs `create` as soon as there is a slot for the caller's network.
	 * @throws ResortError `unavailable` if too many calls wait, and what `create` throws
	 */
	async run<T>(call: Call, create: () => Promise<T>): Promise<T> {
		const release = await this.#acquire(call);
		try {
			return await create();
		} finally {
			// Later: requests that have arrived meanwhile are read first, and join the queue.
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
