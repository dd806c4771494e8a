/** Tells the time: milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

/** Spans of time, in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A moment as the API writes it: ISO 8601, UTC, with milliseconds and `Z`.
 * @param timeMs milliseconds since the epoch
 */
export function toTimestamp(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** Like {@link toTimestamp}, and null for null. */
export function toTimestampOrNull(timeMs: number | null): string | null {
	return timeMs === null ? null : toTimestamp(timeMs);
}

/**
 * Reads a moment in the form that {@link toTimestamp} writes; the milliseconds may be left out.
 * @returns milliseconds since the epoch, or null when the text is no such moment, or one before 1970
 */
export function parseTimestamp(text: string): number | null {
	if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/.test(text)) return null;
	const timeMs = Date.parse(text);
	if (!(timeMs >= 0)) return null;
	// A day that its month does not have would be one of the next month.
	return toTimestamp(timeMs).startsWith(text.slice(0, 19)) ? timeMs : null;
}

/** The last 00:00 UTC at or before a moment, in milliseconds since the epoch. */
export function startOfDayMs(timeMs: number): number {
	return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

/** A clock that goes with the system's and can be moved, for tests. */
export class MovableClock {
	#aheadMs = 0;

	/** Tells the time. */
	readonly now: Clock = () => Date.now() + this.#aheadMs;

	/** Moves it; it goes on from there. */
	setTo(timeMs: number): void {
		this.#aheadMs = timeMs - Date.now();
	}

	/** Sets it to the system's time. */
	reset(): void {
		this.#aheadMs = 0;
	}
}
