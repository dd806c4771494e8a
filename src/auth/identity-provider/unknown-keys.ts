import { createCache } from "../../lib/bounded-cache.ts";
import { type Clock, MINUTE_MS } from "../../lib/clock.ts";
import type { KeyLimit } from "../../lib/fair-limiter.ts";
import { networkLimits } from "../../lib/network-limits.ts";
import { SlidingWindow } from "../../lib/sliding-window.ts";

/** The maximum number of unknown keys from a network that are checked at the provider in one minute. */
const MAX_UNKNOWN = 30;
const WINDOW_MS = MINUTE_MS;

/** The maximum number of stored networks. */
const MAX_NETWORKS = 70_000;

/**
 * The number of unknown keys that a network had left after its newest unknown key, and the time until which
 * this number is used.
 */
interface Remainder {
	readonly left: number;
	readonly untilMs: number;
}

/** Counts the keys that the provider did not know, for each network that sent them. */
export class UnknownKeys {
	readonly #window = new SlidingWindow(WINDOW_MS, MAX_NETWORKS);
	/**
	 * The remainder of each network, by the key of the network. It is stored in addition to the window, because
	 * the queue reads it for every waiting request.
	 */
	readonly #remainders = createCache<Remainder>(MAX_NETWORKS);

	constructor(private readonly clock: Clock) {}

	/** Counts a key that the provider did not know. */
	add(address: string): void {
		const networks = networkLimits(address, MAX_UNKNOWN);
		const nowMs = this.clock();
		this.#window.admit(networks, nowMs);
		for (const network of networks) {
			const { remaining: left } = this.#window.check([network], nowMs);
			const untilMs = nowMs + WINDOW_MS;
			this.#remainders.set(network.key, { left, untilMs });
		}
	}

	/**
	 * Returns the number of seconds after which another key from an address may be checked; null if it may be
	 * checked now.
	 */
	retryAfterSeconds(address: string): number | null {
		const networks = networkLimits(address, MAX_UNKNOWN);
		const verdict = this.#window.check(networks, this.clock());
		return verdict.admitted ? null : verdict.resetSeconds;
	}

	/**
	 * Returns the networks that contain an address, as lanes for the `FairLimiter`. The limit of a lane is the
	 * maximum number of running requests of its network. It is at most the number of unknown keys that the
	 * network has left, because each running request may find an unknown key.
	 * @param maxRunning the maximum number of concurrent requests for an address
	 */
	lanesOf(address: string, maxRunning: number): readonly KeyLimit[] {
		return networkLimits(address, maxRunning).map(({ key, limit }) => {
			const leftOf = () => this.#leftOf(key);
			return {
				key,
				// A getter, because the number of unknown keys that are left changes while requests wait. The limit
				// is at least 1, so that waiting requests start even if no unknown key is left. They are refused when
				// they start.
				get limit() {
					return Math.min(limit, Math.max(1, leftOf()));
				},
			};
		});
	}

	#leftOf(key: string): number {
		const remainder = this.#remainders.get(key);
		const isValid = remainder !== undefined && this.clock() < remainder.untilMs;
		return isValid ? remainder.left : Number.POSITIVE_INFINITY;
	}
}
