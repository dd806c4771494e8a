import { Gate, type Release } from "./gate.ts";
import { ResortError } from "./resort-error.ts";

/**
 * How many costly reads may run at the same time. An instance with a database of its own runs one query at a
 * time, so running several reads at the same time would gain nothing.
 */
const RUNNING = { own: 1, shared: 4 };

/**
 * How many short calls may start in one turn of the event loop. Each takes less processor time than a read.
 */
const SHORT_CALLS = 32;

/**
 * The maximum number of waiting reads, and of waiting short calls. A network may have a twentieth of them.
 */
const WAITING = 5_000;

/**
 * Runs costly reads, such as uncached lists, one at a time for each client network. Further reads wait, and
 * networks take turns.
 */
export class CostlyReads {
	readonly #reads: Gate;
	readonly #shortCalls = new Gate({ running: SHORT_CALLS, waiting: WAITING });

	/** @param isShared whether several instances share the database */
	constructor(isShared: boolean) {
		this.#reads = new Gate({ running: RUNNING[isShared ? "shared" : "own"], ofNetwork: 1, waiting: WAITING });
	}

	/**
	 * Runs a read when it is the turn of the caller's network.
	 * @param network the result of `clientKey`
	 * @param signal aborted when the client disconnects
	 * @throws ResortError `unavailable` if too many reads wait or the client disconnects; errors of `read` are
	 * passed on
	 */
	async run<T>(network: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
		const release = await enter(this.#reads, network, signal);
		try {
			return await read();
		} finally {
			// Deferred, so that requests that have arrived meanwhile are waiting when the next read is chosen.
			setImmediate(release);
		}
	}

	/**
	 * Waits until a short call may start, such as one for the statuses of several agents. It counts until the
	 * next turn of the event loop, because it may wait long, but takes most of its processor time at once.
	 * @throws as {@link run}
	 */
	async waitForTurn(network: string, signal: AbortSignal): Promise<void> {
		setImmediate(await enter(this.#shortCalls, network, signal));
	}
}

async function enter(gate: Gate, network: string, signal: AbortSignal): Promise<Release> {
	try {
		return await gate.enter(network, signal);
	} catch {
		throw new ResortError("unavailable", "Too many calls are waiting", {
			hint: "Repeat the call later.",
			retryAfterSeconds: 1,
		});
	}
}
