import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../lib/clock.ts";

/** How long after each failed attempt the next one is made. */
const DELAYS_MS: readonly number[] = [
	5 * SECOND_MS,
	5 * MINUTE_MS,
	30 * MINUTE_MS,
	2 * HOUR_MS,
	5 * HOUR_MS,
	10 * HOUR_MS,
	14 * HOUR_MS,
	20 * HOUR_MS,
	24 * HOUR_MS,
];

/** The most that chance adds to a delay, as a part of it: not all come again at once. */
const JITTER = 0.1;

/** After so long without a success a webhook is disabled. */
export const DISABLED_AFTER_MS = 5 * DAY_MS;

/**
 * How long after a failed attempt the next one is made.
 * @param attempts how many there were
 * @param retryAfterMs for how long the receiver wants to be left alone
 * @param chance from 0 to 1
 * @returns milliseconds; null when that was the last one
 */
export function delayAfter(
	attempts: number,
	retryAfterMs: number,
	chance: number,
): number | null {
	const delayMs = DELAYS_MS[attempts - 1];
	if (delayMs === undefined) return null;
	return Math.max(Math.round(delayMs * (1 + JITTER * chance)), retryAfterMs);
}
