import { FairLimiter, type Release } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import { ResortError } from "../lib/resort-error.ts";
import type { Store } from "../store/store.ts";
import type { CallSource } from "./call.ts";

/**
 * How many lists and pages may be created at the same time: for a store that one instance uses (`own`), and
 * for a store that several instances share (`shared`). Of the slots, `reserved` are only for client networks
 * that hold no slot yet.
 */
const LISTS = {
	own: { running: 1 },
	shared: { running: 4, reserved: 2 },
};

/**
 * How many other calls may start in one turn of the event loop. Each takes less processor time than a list.
 */
const CALLS = { running: 32 };

/** The maximum number of queued calls in each of the two queues. */
const MAX_WAITING = 1_000;

/**
 * Limits how many uncached lists and pages are created at the same time, and separately how many other costly
 * calls start in one turn of the event loop: those for the statuses of several agents, and messages of MCP.
 * Further calls wait in a queue, in which client networks take turns.
 */
export class CreationQueue {
	readonly #lists: FairLimiter;
	readonly #calls = new FairLimiter({ ...CALLS, waiting: MAX_WAITING });

	/**
	 * @param store determines the number of slots. A store that is not shared with other instances runs one
	 * query at a time, so creating several lists at the same time would gain nothing
	 */
	constructor({ isShared }: Pick<Store, "isShared">) {
		const bounds = LISTS[isShared ? "shared" : "own"];
		this.#lists = new FairLimiter({ ...bounds, waiting: MAX_WAITING });
	}

	/**
	 * Creates a list or page when the caller's network gets a slot.
	 * @throws ResortError `unavailable` if the queue is full or the client disconnects; errors of `create` are
	 * passed on
	 */
	async run<T>(call: CallSource, create: () => Promise<T>): Promise<T> {
		const release = await acquire(this.#lists, call);
		try {
			return await create();
		} finally {
			// Deferred, so that requests that have arrived meanwhile are in the queue before the slot is assigned.
			setImmediate(release);
		}
	}

	/**
	 * Waits until the caller's network may start a costly call that creates no list. The slot becomes free
	 * again in the next turn of the event loop, because a call may wait long, but takes most of its processor
	 * time at once.
	 * @throws ResortError `unavailable` as {@link run}
	 */
	async waitForTurn(call: CallSource): Promise<void> {
		setImmediate(await acquire(this.#calls, call));
	}
}

async function acquire(limiter: FairLimiter, call: CallSource): Promise<Release> {
	const slot = networkSlot(call.address());
	if (!limiter.isBusy(slot)) return limiter.tryAcquire(slot);
	try {
		const { signal } = call.connection;
		return await limiter.acquire({ ...slot, signal });
	} catch {
		throw new ResortError("unavailable", "Too many calls are waiting", {
			hint: "Repeat the call later.",
			retryAfterSeconds: 1,
		});
	}
}
