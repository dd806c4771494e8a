import { describe, expect, test } from "bun:test";
import { weightOf } from "../../../src/core/lib/weights.ts";

describe("weightOf", () => {
	test.each([
		[1_019, 1],
		[1_020, 1],
		[1_021, 0],
		[15_000, 0],
	])("of a value after %d other characters is %d", (length, weight) => {
		expect(weightOf(`${",".repeat(length)}gzip`, ["gzip"])).toBe(weight);
	});
});
