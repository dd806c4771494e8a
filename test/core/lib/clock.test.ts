import { expect, test } from "bun:test";
import {
	DAY_MS,
	HOUR_MS,
	inWords,
	MINUTE_MS,
	parseTimestamp,
	SECOND_MS,
} from "../../../src/core/lib/clock.ts";

test.each([
	["returns the time of a UTC timestamp", "2026-03-10T12:00:00.000Z", Date.UTC(2026, 2, 10, 12)],
	["returns 0 for the first second of 1970", "1970-01-01T00:00:00Z", 0],
	["returns null for a time before 1970", "1969-12-31T23:59:59Z", null],
	["returns null for 30 February", "2026-02-30T00:00:00Z", null],
	["subtracts a positive offset", "2026-03-10T12:00:00+01:00", Date.UTC(2026, 2, 10, 11)],
	["adds a negative offset", "2026-03-10T12:00:00-23:59", Date.UTC(2026, 2, 11, 11, 59)],
	["accepts lower case and one decimal", "2026-03-10t12:00:00.5z", Date.UTC(2026, 2, 10, 12, 0, 0, 500)],
	["truncates six decimals", "2026-03-10T12:00:00.123456+00:00", Date.UTC(2026, 2, 10, 12, 0, 0, 123)],
	["returns null for ten decimals", "2026-03-10T12:00:00.1234567890Z", null],
	["returns null for an offset of 24 hours", "2026-03-10T12:00:00+24:00", null],
	["returns null for an offset with 60 minutes", "2026-03-10T12:00:00+01:60", null],
	["returns null for a time without an offset", "2026-03-10T12:00:00", null],
	["returns null for a time that is in 1969 in UTC", "1970-01-01T00:59:59.999+01:00", null],
	["returns 0 for a time that is the start of 1970 in UTC", "1970-01-01T01:00:00+01:00", 0],
	["accepts the last millisecond of the year 9999", "9999-12-31T23:59:59.999Z", Date.UTC(10_000, 0) - 1],
	["returns null for a time that is in the year 10000 in UTC", "9999-12-31T23:59:00-00:01", null],
])("parseTimestamp %s", (_, text, timeMs) => {
	expect(parseTimestamp(text)).toBe(timeMs);
});

test.each([
	[0, "less than a minute"],
	[MINUTE_MS - 1, "less than a minute"],
	[MINUTE_MS, "1 minute"],
	[2 * MINUTE_MS, "2 minutes"],
	[HOUR_MS + MINUTE_MS - 1, "1 hour"],
	[2 * HOUR_MS + 5 * MINUTE_MS, "2 hours 5 minutes"],
	[DAY_MS + HOUR_MS - 1, "1 day"],
	[DAY_MS + 2 * HOUR_MS + 59 * MINUTE_MS, "1 day 2 hours"],
	[2 * DAY_MS + 59 * SECOND_MS, "2 days"],
])("inWords of %d ms is %j", (durationMs, words) => {
	expect(inWords(durationMs)).toBe(words);
});
