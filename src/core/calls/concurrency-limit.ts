import { Gate, GateFull } from "../lib/gate.ts";
import { NETWORKS_OF_48 } from "../lib/ip-address.ts";
import { ResortError } from "../lib/resort-error.ts";

/** The maximum number of open event streams and waiting calls of a network. */
const MAX_OF_NETWORK = 30;

/** The maximum number of open event streams and waiting calls of all clients together. */
export const MAX_IN_ALL = 10_000;

/**
 * The delay suggested to a refused client. It is a guess, because nobody knows when another call will end and
 * make room.
 */
const RETRY_SECONDS = 5;

/** Limits the number of open event streams and waiting calls, in total and for each client network. */
export class ConcurrencyLimit {
	readonly #gate: Gate;
	/** The number of open streams and of waiting calls. */
	readonly open = { stream: 0, call: 0 };

	/** @param isLimited whether to enforce the limit for each client network */
	constructor(isLimited: boolean) {
		this.#gate = new Gate({ running: MAX_IN_ALL, ofNetwork: isLimited ? MAX_OF_NETWORK : MAX_IN_ALL });
	}

	/**
	 * Counts a stream or a waiting call.
	 * @param address the result of `clientKey`
	 * @returns a function that ends the counting; call it only once
	 * @throws ResortError `rate_limited` if the network has too many, `unavailable` if all clients together
	 * have
	 */
	acquire(kind: keyof ConcurrencyLimit["open"], address: string): () => void {
		const release = this.#enter(address);
		this.open[kind]++;
		return () => {
			this.open[kind]--;
			release();
		};
	}

	#enter(address: string): () => void {
		try {
			return this.#gate.tryEnter(address);
		} catch (error) {
			if (!(error instanceof GateFull)) throw error;
			const isOfNetwork = error.full === "network";
			throw new ResortError(
				isOfNetwork ? "rate_limited" : "unavailable",
				"Too many waiting calls and streams",
				{
					hint: isOfNetwork
						? `An address may have ${MAX_OF_NETWORK} at a time (${NETWORKS_OF_48 * MAX_OF_NETWORK} for an IPv6 /48): GET /api/agents/status waits for up to 100 agents at once, and one stream of GET /api/events carries all events.`
						: `The instance allows ${MAX_IN_ALL} at a time; for now, call without wait.`,
					retryAfterSeconds: RETRY_SECONDS,
				},
			);
		}
	}
}
