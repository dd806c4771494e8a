import { describe, expect, test } from "bun:test";
import { readConfig } from "../../../src/config/config.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/lib/clock.ts";

describe("--max-stay", () => {
	for (const [hours, ms] of [
		["0", 0],
		["1", HOUR_MS],
		["0.5", 30 * MINUTE_MS],
		["1.25", 75 * MINUTE_MS],
		["0.001", 3600],
	] as const) {
		test(`of ${hours} hours is ${ms} ms`, () => {
			expect(readConfig({ "max-stay": hours }, {})["max-stay"]).toBe(ms);
		});
	}

	test("is never when nothing is said", () => {
		expect(readConfig({}, {})["max-stay"]).toBe(0);
	});
});
