import type { KeyLimit } from "../lib/fair-limiter.ts";
import { networksOf } from "../lib/ip-address.ts";
import { mapValues } from "../lib/record.ts";
import { SlidingWindow, type Window } from "../lib/sliding-window.ts";
import { type LimitName, limits } from "../resort/limits.ts";
import type { RateLimitCounter } from "../store/store.ts";
import { SharedWindow } from "./shared-window.ts";

/** The most keys that one limit stores, so that its memory is bounded: 80 MB for addresses, 200 MB for agents. */
const MAX_KEYS = { address: 70_000, agent: 200_000 } as const;

/** A window for each limit. */
export type Windows = Readonly<Record<LimitName, Window>>;

/**
 * Creates the windows of a resort.
 * @param counter counts for all instances; null if this instance counts in its memory
 */
export function createWindows(counter: RateLimitCounter | null): Windows {
	return mapValues(limits, ({ limit, windowMs, key }, name) => {
		const keysOf =
			key === "address"
				? (address: string) => networkLimits(address, limit)
				: (agentId: string) => [{ key: agentId, limit }];
		return counter === null
			? new SlidingWindow(limit, windowMs, MAX_KEYS[key], keysOf)
			: new SharedWindow(counter, name, limit, windowMs, keysOf);
	});
}

/**
 * Returns the keys that a request of an address counts for, with their limits. Providers give a customer up to a /48
 * (RFC 6177): an IPv6 request counts for its /64, for its /56 with 4 times the limit, and for its /48 with 10 times.
 * @param key of `clientKey`
 */
export function networkLimits(key: string, limit: number): KeyLimit[] {
	const networks = networksOf(key);
	const own = { key, limit };
	if (networks === null) return [own];
	return [
		own,
		{ key: networks[56], limit: 4 * limit },
		{ key: networks[48], limit: 10 * limit },
	];
}
