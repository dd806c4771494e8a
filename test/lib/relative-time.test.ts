import { expect, test } from "bun:test";
import { parseRelativeTime } from "../../src/lib/duration.ts";

test.each([
	["0s", 0],
	["-0s", 0],
	["-1s", -1_000],
	["-50m", -3_000_000],
	["-1h30m", -5_400_000],
	["-2d", -172_800_000],
	["-1d1h1m1s", -90_061_000],
	["-90m", -5_400_000],
	["5m", 300_000],
	["+5m", 300_000],
] as const)("%s", (text, ms) => {
	expect(parseRelativeTime(text)).toBe(ms);
});

test.each([
	...["", "-", "+", "0", "-5", "1.5h", "-1m1h", "-1h-30m", "- 1h", "1w", "-1H"],
	...["-12345678d", "12345678h", "12345678m", "1234567890s"],
])("%j is none", (text) => {
	expect(parseRelativeTime(text)).toBeNull();
});
