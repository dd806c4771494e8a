import { describe, expect, test } from "bun:test";
import { weightOf } from "../../src/lib/weights.ts";

describe("the weight in a field", () => {
	test.each<[field: string, weight: number]>([
		["", 0],
		["gzip", 1],
		["GZIP ; q=0.5", 0.5],
		["zstd, gzip;q=0", 0],
		["*;q=0.3, gzip;q=2", 1],
		["*;q=0.3", 0.3],
		["gzipped, x-gzip", 0],
	])("%j is %d", (field, weight) => {
		expect(weightOf(field, ["gzip", "*"])).toBe(weight);
	});

	test.each([
		[1_019, 1],
		[1_020, 1],
		[1_021, 0],
		[15_000, 0],
	])("behind %d other characters is %d", (length, weight) => {
		expect(weightOf(`${",".repeat(length)}gzip`, ["gzip"])).toBe(weight);
	});
});
