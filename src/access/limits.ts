import { SlidingWindow, type Window } from "../lib/sliding-window.ts";
import { type Limit, type LimitName, limits } from "../resort/limits.ts";
import { AddressWindow } from "./address-window.ts";

/**
 * The most keys that one limit remembers, so that its memory is bounded: 80 MB for addresses, 200 MB
 * for agents, who can only be as many as have registered.
 */
const MAX_KEYS = { address: 50_000, agent: 200_000 } as const;

/** A window for each limit. */
export type Windows = Readonly<Record<LimitName, Window>>;

/** Windows that have seen no request. */
export function createWindows(): Windows {
	return Object.fromEntries(
		Object.entries(limits).map(([name, limit]) => [name, windowFor(limit)]),
	) as Windows;
}

function windowFor({ limit, windowMs, key }: Limit): Window {
	const Counting = key === "address" ? AddressWindow : SlidingWindow;
	return new Counting(limit, windowMs, MAX_KEYS[key]);
}
