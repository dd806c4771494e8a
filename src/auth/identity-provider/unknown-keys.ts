import { createCache } from "../../lib/bounded-cache.ts";
import { type Clock, MINUTE_MS } from "../../lib/clock.ts";
import type { KeyLimit } from "../../lib/fair-limiter.ts";
import { networkLimits } from "../../lib/network-limits.ts";
import { SlidingWindow } from "../../lib/sliding-window.ts";

/** How many unknown keys of a network are checked at the provider in a minute. */
const MAX_UNKNOWN = 30;
const WINDOW_MS = MINUTE_MS;

/** The maximum number of stored networks. */
const MAX_NETWORKS = 70_000;

/** How many unknown keys a network had left after the last one, and until when that counts. */
interface Remainder {
	readonly left: number;
	readonly untilMs: number;
}

/** Counts the keys that the provider did not know, by the networks that sent them. */
export class UnknownKeys {
	readonly #window = new SlidingWindow(WINDOW_MS, MAX_NETWORKS);
	/** A queue reads these for each waiting request, so they are not computed from the window every time. */
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

	/** Returns when further keys of an address may be checked, in seconds; null if one may be checked now. */
	retryAfterSeconds(address: string): number | null {
		const networks = networkLimits(address, MAX_UNKNOWN);
		const verdict = this.#window.check(networks, this.clock());
		return verdict.admitted ? null : verdict.resetSeconds;
	}

	/**
	 * Returns the lanes of an address. A network may have no more requests running than it may still send unknown keys:
	 * each of them could be one.
	 * @param maxRunning the maximum number of concurrent requests for an address
	 */
	lanesOf(address: string, maxRunning: number): readonly KeyLimit[] {
		return networkLimits(address, maxRunning).map(({ key, limit }) => {
			const leftOf = () => this.#leftOf(key);
			return {
				key,
				// Read whenever a slot becomes free. One request may run, so that those who wait learn that none is left.
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
