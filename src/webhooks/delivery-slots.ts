import { createCache } from "../lib/bounded-cache.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { FairLimiter, type Release } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import type { Webhook } from "./model.ts";

/**
 * The maximum number of concurrent deliveries, and the number of slots among them that are reserved for
 * networks without a running delivery.
 */
const MAX_RUNNING = 20;
const RESERVED = 10;

/** The maximum number of concurrent deliveries to all slow receivers together, and to one host name. */
const MAX_SLOW = 5;
const MAX_OF_HOST = 2;

/** A receiver is slow if its last delivery took longer than this. */
const SLOW_MS = 2 * SECOND_MS;

/**
 * The maximum number of queued deliveries. Each active webhook can have one queued delivery, and agents can
 * send pings.
 */
const MAX_WAITING = 20_000;

/** The network of webhooks that were created by an earlier version, which did not store their network. */
const UNKNOWN_NETWORK = "unknown";

/** The properties of a webhook that decide when its delivery gets a slot. */
export type Recipient = Pick<Webhook, "id" | "agentId" | "url" | "network">;

/**
 * The slots of an instance for concurrent deliveries. Networks get slots in turn, and so do the agents of a
 * network. All slow receivers together get at most a quarter of the slots. Half of the slots are reserved for
 * networks without a running delivery. So a few networks whose receivers do not respond cannot block other
 * networks.
 */
export class DeliverySlots {
	readonly #limiter = new FairLimiter({
		running: MAX_RUNNING,
		reserved: RESERVED,
		waiting: MAX_WAITING,
	});
	/** The duration of each webhook's last delivery, by the webhook's id. */
	readonly #durations = createCache<number>(MAX_WAITING);

	/** @param slowMs {@link SLOW_MS} by default */
	constructor(private readonly slowMs = SLOW_MS) {}

	/**
	 * Waits for a slot.
	 * @returns a function that releases the slot. Call it when the delivery has ended
	 * @throws as {@link FairLimiter.acquire}
	 */
	async acquire({ id, agentId, url, network }: Recipient, signal: AbortSignal): Promise<Release> {
		const unlimited = Number.POSITIVE_INFINITY;
		const isSlow = (this.#durations.get(id) ?? 0) > this.slowMs;
		const { lanes } = networkSlot(network ?? UNKNOWN_NETWORK);
		const release = await this.#limiter.acquire({
			lanes: [{ key: agentId, limit: unlimited }, ...lanes],
			limits: [
				{ key: `host ${new URL(url).hostname}`, limit: MAX_OF_HOST },
				{ key: "slow", limit: isSlow ? MAX_SLOW : unlimited },
			],
			signal,
		});
		const startMs = performance.now();
		return () => {
			this.#durations.set(id, performance.now() - startMs);
			release();
		};
	}
}
