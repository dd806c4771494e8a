import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "./clock.ts";

/** Days, hours, minutes and seconds in this order; `-` is the past. */
const SPAN =
	/^([+-]?)(?:(\d{1,7})d)?(?:(\d{1,7})h)?(?:(\d{1,7})m)?(?:(\d{1,9})s)?$/;

/**
 * Parses a time relative to another one: `0s`, `-50m`, `-1h30m`, `-2d`.
 * @returns milliseconds, negative for the past; null if the text has another format
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
