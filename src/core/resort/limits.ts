import { SECOND_MS } from "../lib/clock.ts";

/**
 * A rate limit: the maximum number of calls in a time window, for each client address or agent. Operations
 * with the same limit are counted together.
 */
export interface Limit {
	/** Identifies the limit. Callers and metrics see it. */
	readonly name: string;
	readonly limit: number;
	readonly windowMs: number;
	readonly key: "address" | "agent";
}

/**
 * The limit of requests with an `offset` above {@link DEEP_OFFSET}, in place of their operation's: the
 * database must read all entries before the page.
 */
export const deepPageLimit: Limit = { name: "deep-page", limit: 2, windowMs: SECOND_MS, key: "address" };

/** The maximum `offset` of requests that count towards the limit of their operation. */
export const DEEP_OFFSET = 20_000;
