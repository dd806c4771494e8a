import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./clock.ts";

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

/** Matches days, hours, minutes and seconds in this order. A leading `-` means the past. */
const SPAN = /^([+-]?)(?:(\d{1,7})d)?(?:(\d{1,7})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/;

/**
 * Parses a time relative to another time, such as `0s`, `-50m`, `-1h30m` or `-2d`.
 * @returns milliseconds, negative for the past; null for other texts
 */
export function parseRelativeTime(text: string): number | null {
	const match = SPAN.exec(text);
	if (match === null || !/\d/.test(text)) return null;
	const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
	const spanMs =
		Number(days) * DAY_MS +
		Number(hours) * HOUR_MS +
		Number(minutes) * MINUTE_MS +
		Number(seconds) * SECOND_MS;
	return sign === "-" && spanMs > 0 ? -spanMs : spanMs;
}
