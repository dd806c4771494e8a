import { expect, test } from "bun:test";
import { parseRelativeTime } from "../../../src/core/lib/duration.ts";

test("times that are relative to now", () => {
	const times = ["0s", "-0s", "-1s", "-50m", "-1h30m", "-2d", "-1d1h1m1s", "-90m", "5m", "+5m"];
	// To record it again, add --update-snapshots.
	expect(times.map((time) => [time, parseRelativeTime(time)])).toMatchSnapshot();
});

test.each([
	"",
	"-",
	"+",
	"0",
	"-5",
	"1.5h",
	"-1m1h",
	"-1h-30m",
	"- 1h",
	"1w",
	"-1H",
	"-12345678d",
	"12345678h",
	"12345678m",
	"1234567890s",
])("%j is none", (text) => {
	expect(parseRelativeTime(text)).toBeNull();
});
