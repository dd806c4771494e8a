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
	["2026-03-10T12:00:00.000Z", Date.UTC(2026, 2, 10, 12)],
	["1970-01-01T00:00:00Z", 0],
	["1969-12-31T23:59:59Z", null],
	["2026-02-30T00:00:00Z", null],
	["2026-03-10T12:00:00+01:00", Date.UTC(2026, 2, 10, 11)],
	["2026-03-10T12:00:00-23:59", Date.UTC(2026, 2, 11, 11, 59)],
	["2026-03-10t12:00:00.5z", Date.UTC(2026, 2, 10, 12, 0, 0, 500)],
	["2026-03-10T12:00:00.123456+00:00", Date.UTC(2026, 2, 10, 12, 0, 0, 123)],
	["2026-03-10T12:00:00.1234567890Z", null],
	["2026-03-10T12:00:00+24:00", null],
	["2026-03-10T12:00:00+01:60", null],
	["2026-03-10T12:00:00", null],
	["1970-01-01T00:59:59.999+01:00", null],
	["1970-01-01T01:00:00+01:00", 0],
	["9999-12-31T23:59:59.999Z", Date.UTC(10_000, 0) - 1],
	["9999-12-31T23:59:00-00:01", null],
])("parseTimestamp(%j) is %p", (text, timeMs) => {
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
