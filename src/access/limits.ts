import { HOUR_MS, MINUTE_MS } from "../lib/clock.ts";
import { SlidingWindow } from "../lib/sliding-window.ts";

const QUARTER_MS = 15 * MINUTE_MS;

/** The most keys that one limit remembers: some 25 MB at the worst. */
const MAX_KEYS = 50_000;

/** The field of an operation of the OpenAPI document that holds its {@link Limit}. */
export const RATE_LIMIT: string = "x-rate-limit";

/** How often an operation may be called, and by whom its calls are counted. */
export interface Limit {
	readonly limit: number;
	readonly windowMs: number;
	readonly key: "address" | "agent";
}

/** The limits of the contract's part 8, and of the additions of decisions 6. */
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
export type Windows = Readonly<Record<LimitName, SlidingWindow>>;

/** Windows that have seen no request. */
export function createWindows(): Windows {
	return Object.fromEntries(
		Object.entries(limits).map(([name, { limit, windowMs }]) => [
			name,
			new SlidingWindow(limit, windowMs, MAX_KEYS),
		]),
	) as Windows;
}
