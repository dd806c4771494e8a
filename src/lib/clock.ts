/** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest delay that the runtime's timers support. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Formats a time as the API does: ISO 8601, UTC, with milliseconds and `Z`. */
export function toTimestamp(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** Formats a time like {@link toTimestamp}; null stays null. */
export function toTimestampOrNull(timeMs: number | null): string | null {
	return timeMs === null ? null : toTimestamp(timeMs);
}

/** A `date-time` of RFC 3339, section 5.6: date and time, fraction of the second, offset from UTC. */
const DATE_TIME =
	/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The last time whose year has four digits. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

/**
 * Parses a time of RFC 3339 without leap seconds, and truncates it to milliseconds.
 * @returns milliseconds since the epoch, or null if the text is not such a time from 1970 to 9999
 */
export function parseTimestamp(text: string): number | null {
	const [, local, fraction = "", sign, hours = "0", minutes = "0"] =
		DATE_TIME.exec(text.toUpperCase()) ?? [];
	if (local === undefined) return null;
	const localMs = Date.parse(`${local}${fraction.slice(0, 4)}Z`);
	// `Date.parse` reads a 30th of February as a day of March.
	if (Number.isNaN(localMs) || !toTimestamp(localMs).startsWith(local)) {
		return null;
	}
	const offsetMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
	const timeMs = sign === "-" ? localMs + offsetMs : localMs - offsetMs;
	return timeMs >= 0 && timeMs <= LAST_MS ? timeMs : null;
}

/** Returns the start of the UTC day of a time. */
export function startOfDayMs(timeMs: number): number {
	return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

/** The latest time that a test may set: a day later, the year would have five digits. */
export const END_OF_TIME_MS = Date.UTC(9999, 11, 31);
