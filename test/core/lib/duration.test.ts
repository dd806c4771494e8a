import { expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, inWords, MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";

test.each([
	[0, "less than a minute"],
	[MINUTE_MS - 1, "less than a minute"],
	[MINUTE_MS, "1 minute"],
	[2 * MINUTE_MS - 1, "1 minute"],
	[2 * MINUTE_MS, "2 minutes"],
	[HOUR_MS - 1, "59 minutes"],
	[HOUR_MS + MINUTE_MS - 1, "1 hour"],
	[2 * HOUR_MS + 5 * MINUTE_MS, "2 hours 5 minutes"],
	[DAY_MS - 1, "23 hours 59 minutes"],
	[DAY_MS + HOUR_MS - 1, "1 day"],
	[DAY_MS + 2 * HOUR_MS + 59 * MINUTE_MS, "1 day 2 hours"],
	[2 * DAY_MS + 59 * SECOND_MS, "2 days"],
])("inWords(%d) is %j", (durationMs, words) => {
	expect(inWords(durationMs)).toBe(words);
});
