import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../lib/clock.ts";

const QUARTER_MS = 15 * MINUTE_MS;

/** A rate limit: the maximum number of calls in a time window, for each client address or for each agent. */
export interface Limit {
	readonly limit: number;
	readonly windowMs: number;
	readonly key: "address" | "agent";
}

/** The rate limits by name. If several operations have the same limit, their calls are counted together. */
export const limits = {
	register: { limit: 5, windowMs: QUARTER_MS, key: "address" },
	"register-daily": { limit: 100, windowMs: DAY_MS, key: "address" },
	"create-session": { limit: 10, windowMs: QUARTER_MS, key: "address" },
	"update-profile": { limit: 20, windowMs: QUARTER_MS, key: "agent" },
	"check-in": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"check-out": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"do-activity": { limit: 20, windowMs: HOUR_MS, key: "agent" },
	"create-experience": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"do-experience": { limit: 20, windowMs: HOUR_MS, key: "agent" },
	vote: { limit: 30, windowMs: HOUR_MS, key: "agent" },
	"send-postcard": { limit: 10, windowMs: HOUR_MS, key: "agent" },
	"test-webhook": { limit: 20, windowMs: HOUR_MS, key: "agent" },
	"create-webhook": { limit: 10, windowMs: HOUR_MS, key: "agent" },
	"deep-page": { limit: 2, windowMs: SECOND_MS, key: "address" },
	"rotate-api-key": { limit: 5, windowMs: HOUR_MS, key: "agent" },
	"end-sessions": { limit: 20, windowMs: HOUR_MS, key: "agent" },
	block: { limit: 60, windowMs: HOUR_MS, key: "agent" },
	unblock: { limit: 60, windowMs: HOUR_MS, key: "agent" },
} as const satisfies Record<string, Limit>;

/**
 * The second limits of operations, by their first limit. A second limit counts only successful calls that add
 * rows.
 */
export const limitsOfAdditions: { readonly [Name in LimitName]?: LimitName } = { register: "register-daily" };

/**
 * A request with an `offset` above this number counts towards the limit `deep-page` instead of the limit of
 * its operation. To find the page, the database must read all entries before the page.
 */
export const DEEP_OFFSET = 20_000;

/** The name of a limit. */
export type LimitName = keyof typeof limits;
