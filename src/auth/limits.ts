import { mapValues } from "../lib/record.ts";
import { SlidingWindow, type Window } from "../lib/sliding-window.ts";
import { type Limit, type LimitName, limits } from "../resort/limits.ts";
import type { RateLimitCounter } from "../store/store.ts";
import { AddressWindow, keysOfAddress } from "./address-window.ts";
import { SharedWindow } from "./shared-window.ts";

/**
 * The most keys that one limit remembers, so that its memory is bounded: 80 MB for addresses, 200 MB
 * for agents, who can only be as many as have registered.
 */
const MAX_KEYS = { address: 50_000, agent: 200_000 } as const;

/** A window for each limit. */
export type Windows = Readonly<Record<LimitName, Window>>;

/**
 * The windows of a resort.
 * @param counter counts for all instances; null where this one counts in its memory
 */
export function createWindows(counter: RateLimitCounter | null): Windows {
	return mapValues(limits, (limit, name) =>
		counter === null ? windowFor(limit) : sharedWindowFor(counter, name, limit),
	);
}

function windowFor({ limit, windowMs, key }: Limit): Window {
	const Counting = key === "address" ? AddressWindow : SlidingWindow;
	return new Counting(limit, windowMs, MAX_KEYS[key]);
}

function sharedWindowFor(
	counter: RateLimitCounter,
	name: LimitName,
	{ limit, windowMs, key }: Limit,
): Window {
	const keysOf =
		key === "address"
			? (address: string) => keysOfAddress(address, limit)
			: (agentId: string) => [{ key: agentId, limit }];
	return new SharedWindow(counter, name, limit, windowMs, keysOf);
}
