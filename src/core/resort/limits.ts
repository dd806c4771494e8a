import { SECOND_MS } from "../lib/clock.ts";

/**
 * A rate limit: the maximum number of calls in a time window, for each client address or for each agent. If
 * several operations have the same limit, their calls are counted together.
 */
export interface Limit {
	/** Identifies the limit. Callers and metrics see it. */
	readonly name: string;
	readonly limit: number;
	readonly windowMs: number;
	readonly key: "address" | "agent";
}

/**
 * The limit of requests with an `offset` above {@link DEEP_OFFSET}, instead of the limit of their operation.
 * To find the page, the database must read all entries before the page.
 */
export const deepPageLimit: Limit = { name: "deep-page", limit: 2, windowMs: SECOND_MS, key: "address" };

/** The maximum `offset` of requests that count towards the limit of their operation. */
export const DEEP_OFFSET = 20_000;
