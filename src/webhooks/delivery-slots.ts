import { createCache } from "../lib/bounded-cache.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { FairLimiter, type Release } from "../lib/fair-limiter.ts";
import { networkSlot } from "../lib/network-limits.ts";
import type { Webhook } from "./model.ts";

/** The most deliveries at a time, and how many of them only networks without a running delivery get. */
const MAX_RUNNING = 20;
const RESERVED = 10;

/** The most deliveries at a time to slow receivers, and to one host. */
const MAX_SLOW = 5;
const MAX_OF_HOST = 2;

/** A receiver is slow if its last delivery took longer. */
const SLOW_MS = 2 * SECOND_MS;

/** The most deliveries that wait: one of each active webhook, and those sent on request. */
const MAX_WAITING = 20_000;

/** The network of webhooks that were created before their networks were stored. */
const UNKNOWN_NETWORK = "unknown";

/** What decides about the slot of a delivery. */
export type Recipient = Pick<Webhook, "id" | "agentId" | "url" | "network">;

/**
 * The slots of an instance for deliveries. Networks are served in turn, and so are the agents of a network. Slow
 * receivers share a quarter of the slots. Half of the slots is for networks that have none, so that a few networks
 * whose receivers do not answer leave slots for others, whichever comes first.
 */
export class DeliverySlots {
	readonly #limiter = new FairLimiter({
		running: MAX_RUNNING,
		reserved: RESERVED,
		waiting: MAX_WAITING,
	});
	/** The duration of the last delivery by the id of its webhook. */
	readonly #durations = createCache<number>(MAX_WAITING);

	/** @param slowMs {@link SLOW_MS} when left out */
	constructor(private readonly slowMs = SLOW_MS) {}

	/**
	 * Waits for a slot. It is released when the delivery has ended.
	 * @throws as {@link FairLimiter.acquire}
	 */
	async acquire(
		{ id, agentId, url, network }: Recipient,
		signal: AbortSignal,
	): Promise<Release> {
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
