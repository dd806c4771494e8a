import { Gate } from "../lib/gate.ts";
import { NETWORKS_OF_48 } from "../lib/ip-address.ts";
import { RETRY_SECONDS, ResortError } from "../lib/resort-error.ts";

/** The maximum number of open event streams and waiting calls from one network. */
const MAX_OF_NETWORK = 30;

/** The maximum number of open event streams and waiting calls from all clients together. */
export const MAX_IN_ALL = 10_000;

/** Limits the number of open event streams and waiting calls, in total and for each client network. */
export class ConcurrencyLimit {
	readonly #gate: Gate;
	/** The number of open streams and of waiting calls. */
	readonly open = { stream: 0, call: 0 };

	/** @param isLimited whether to enforce the limit for each client network */
	constructor(isLimited: boolean) {
		const ofNetwork = isLimited ? MAX_OF_NETWORK : MAX_IN_ALL;
		this.#gate = new Gate({ running: MAX_IN_ALL, ofNetwork }, (full) => {
			const hint =
				full === "network"
					? `An address may have ${MAX_OF_NETWORK} at a time (${NETWORKS_OF_48 * MAX_OF_NETWORK} for an IPv6 /48): GET /api/agents/status waits for up to 100 agents at once, and one stream of GET /api/events carries all events.`
					: `The instance allows ${MAX_IN_ALL} at a time; for now, call without wait.`;
			const code = full === "network" ? "rate_limited" : "unavailable";
			const details = { hint, retryAfterSeconds: RETRY_SECONDS };
			return new ResortError(code, "Too many waiting calls and streams", details);
		});
	}

	/**
	 * Counts a stream or a waiting call until the returned function is called. Call that function only once.
	 * @param address the result of `clientKey`
	 * @throws ResortError `rate_limited` if the network has too many streams and waiting calls, `unavailable`
	 * if all clients together have too many
	 */
	acquire(kind: keyof ConcurrencyLimit["open"], address: string): () => void {
		const release = this.#gate.tryEnter(address);
		this.open[kind]++;
		return () => {
			this.open[kind]--;
			release();
		};
	}
}

/** How many costly reads may run at once. A database that is not shared runs one query at a time anyway. */
const RUNNING = { own: 1, shared: 4 };

/** How many short calls, which take less time than costly reads, may start in one turn of the event loop. */
const SHORT_CALLS = 32;

/** The maximum number of waiting reads, and of waiting short calls. One network may use a twentieth of it. */
const WAITING = 5_000;

const tooMany = () =>
	new ResortError("unavailable", "Too many calls are waiting", {
		hint: "Repeat the call later.",
		retryAfterSeconds: 1,
	});

/** Runs costly reads, such as uncached lists, one at a time for each network. Networks take turns. */
export class CostlyReads {
	readonly #reads: Gate;
	readonly #shortCalls = new Gate({ running: SHORT_CALLS, waiting: WAITING }, tooMany);

	/** @param isShared whether several instances share the database */
	constructor(isShared: boolean) {
		const running = isShared ? RUNNING.shared : RUNNING.own;
		this.#reads = new Gate({ running, ofNetwork: 1, waiting: WAITING }, tooMany);
	}

	/**
	 * Runs a read when it is the turn of the caller's network.
	 * @param network the result of `clientKey`
	 * @param signal aborted when the client disconnects
	 * @throws ResortError `unavailable` if too many reads wait or the client disconnects; errors of `read`
	 */
	async run<T>(network: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
		const release = await this.#reads.enter(network, signal);
		try {
			return await read();
		} finally {
			// Released later, so that a request that arrives meanwhile can also be chosen as the next read.
			setImmediate(release);
		}
	}

	/**
	 * Waits until a short call may start, such as a call for the statuses of several agents. The call counts
	 * towards the limit until the next turn of the event loop, because it does most of its work in this turn.
	 * @param network the result of `clientKey`
	 * @throws as {@link run}
	 */
	async waitForTurn(network: string, signal: AbortSignal): Promise<void> {
		setImmediate(await this.#shortCalls.enter(network, signal));
	}
}
