import { HOUR_MS, MINUTE_MS } from "../lib/clock.ts";
import { SlidingWindow, type Window } from "../lib/sliding-window.ts";
import { AddressWindow } from "./address-window.ts";

const QUARTER_MS = 15 * MINUTE_MS;

/**
 * The most keys that one limit remembers, so that its memory is bounded: 80 MB for addresses, 200 MB
 * for agents, who can only be as many as have registered.
 */
const MAX_KEYS = { address: 50_000, agent: 200_000 } as const;

/** The field of an operation of the OpenAPI document that holds its {@link Limit}. */
export const RATE_LIMIT: string = "x-rate-limit";

/** How often an operation may be called, and by whom its calls are counted. */
export interface Limit {
	readonly limit: number;
	readonly windowMs: number;
	readonly key: "address" | "agent";
}

/** How often each operation may be called; an operation that is not here has no limit. */
export const limits = {
	register: { limit: 5, windowMs: QUARTER_MS, key: "address" },
	"create-session": { limit: 10, windowMs: QUARTER_MS, key: "address" },
	"update-profile": { limit: 20, windowMs: QUARTER_MS, key: "agent" },
	"check-in": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"check-out": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"do-activity": { limit: 20, windowMs: HOUR_MS, key: "agent" },
	"create-experience": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"do-experience": { limit: 20, windowMs: HOUR_MS, key: "agent" },
	vote: { limit: 30, windowMs: HOUR_MS, key: "agent" },
	"send-postcard": { limit: 10, windowMs: HOUR_MS, key: "agent" },
	"rotate-api-key": { limit: 5, windowMs: HOUR_MS, key: "agent" },
} as const satisfies Record<string, Limit>;

/** The name of a limit; operations that share a name share their calls. */
export type LimitName = keyof typeof limits;

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
