import { expect, test } from "bun:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../src/core/lib/clock.ts";
import { inWords } from "../../../src/core/lib/duration.ts";

const durations = [
	0,
	1,
	59_999,
	60_000,
	119_999,
	120_000,
	HOUR_MS - 1,
	HOUR_MS,
	HOUR_MS + MINUTE_MS - 1,
	HOUR_MS + MINUTE_MS,
	2 * HOUR_MS,
	2 * HOUR_MS + 5 * MINUTE_MS,
	DAY_MS - 1,
	DAY_MS,
	DAY_MS + MINUTE_MS,
	DAY_MS + HOUR_MS - 1,
	DAY_MS + HOUR_MS,
	DAY_MS + 2 * HOUR_MS + 59 * MINUTE_MS,
	2 * DAY_MS - 1,
	2 * DAY_MS + 59 * SECOND_MS,
	365 * DAY_MS + HOUR_MS,
];

test("durations in words", () => {
	const told = durations.map((durationMs) => {
		return `${durationMs} ms: ${inWords(durationMs)}`;
	});
	// To record it again, add --update-snapshots.
	expect(told).toMatchSnapshot();
});
