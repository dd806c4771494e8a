/** Returns the time in milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The maximum delay of the runtime's timers. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Formats a time for the API: ISO 8601, UTC, with milliseconds and `Z`. */
export function toTimestamp(timeMs: number): string {
	return new Date(timeMs).toISOString();
}

/** Formats a time as {@link toTimestamp} does. Returns null for null. */
export function toTimestampOrNull(timeMs: number | null): string | null {
	return timeMs === null ? null : toTimestamp(timeMs);
}

/** Matches a `date-time` of RFC 3339, section 5.6. */
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/** The last millisecond of the year 9999. Later years have five digits. */
const LAST_MS = Date.UTC(10_000, 0) - 1;

/**
 * Parses a time in RFC 3339 format, without leap seconds. Ignores fractions of a millisecond.
 * @returns milliseconds since the epoch; null for other texts, and for years before 1970 or after 9999
 */
export function parseTimestamp(text: string): number | null {
	const [, local, fraction = "", sign, hours = "0", minutes = "0"] = DATE_TIME.exec(text.toUpperCase()) ?? [];
	if (local === undefined) return null;
	const localMs = Date.parse(`${local}${fraction.slice(0, 4)}Z`);
	// `Date.parse` converts a date such as February 30 to a day in March.
	if (Number.isNaN(localMs) || !toTimestamp(localMs).startsWith(local)) {
		return null;
	}
	const offsetMs = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
	const timeMs = sign === "-" ? localMs + offsetMs : localMs - offsetMs;
	return timeMs >= 0 && timeMs <= LAST_MS ? timeMs : null;
}

/** Returns the start of a time's UTC day. */
export function startOfDayMs(timeMs: number): number {
	return Math.floor(timeMs / DAY_MS) * DAY_MS;
}

const units = [
	["day", DAY_MS],
	["hour", HOUR_MS],
	["minute", MINUTE_MS],
] as const;

/** Formats a duration with its two largest units: `2 hours 5 minutes`, `1 day`, `less than a minute`. */
export function inWords(durationMs: number): string {
	const first = units.findIndex(([, unitMs]) => durationMs >= unitMs);
	if (first === -1) return "less than a minute";
	let restMs = durationMs;
	const words: string[] = [];
	for (const [unit, unitMs] of units.slice(first, first + 2)) {
		const count = Math.floor(restMs / unitMs);
		restMs -= count * unitMs;
		if (count > 0) words.push(`${count} ${unit}${count === 1 ? "" : "s"}`);
	}
	return words.join(" ");
}
