import { describe, expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/lib/clock.ts";
import { inWords } from "../../src/lib/duration.ts";

describe("inWords", () => {
	test.each([
		[0, "less than a minute"],
		[1, "less than a minute"],
		[59_999, "less than a minute"],
		[60_000, "1 minute"],
		[119_999, "1 minute"],
		[120_000, "2 minutes"],
		[HOUR_MS - 1, "59 minutes"],
		[HOUR_MS, "1 hour"],
		[HOUR_MS + MINUTE_MS - 1, "1 hour"],
		[HOUR_MS + MINUTE_MS, "1 hour 1 minute"],
		[2 * HOUR_MS, "2 hours"],
		[2 * HOUR_MS + 5 * MINUTE_MS, "2 hours 5 minutes"],
		[DAY_MS - 1, "23 hours 59 minutes"],
		[DAY_MS, "1 day"],
		[DAY_MS + MINUTE_MS, "1 day"],
		[DAY_MS + HOUR_MS - 1, "1 day"],
		[DAY_MS + HOUR_MS, "1 day 1 hour"],
		[DAY_MS + 2 * HOUR_MS + 59 * MINUTE_MS, "1 day 2 hours"],
		[2 * DAY_MS - 1, "1 day 23 hours"],
		[2 * DAY_MS + 59 * SECOND_MS, "2 days"],
		[365 * DAY_MS + HOUR_MS, "365 days 1 hour"],
	])("%d ms: %s", (durationMs, words) => {
		expect(inWords(durationMs)).toBe(words);
	});
});
