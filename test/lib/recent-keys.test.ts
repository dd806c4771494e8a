import { expect, test } from "bun:test";
import { RecentKeys } from "../../src/lib/recent-keys.ts";

test("recent keys are known, most of 50,000 at least, and hardly any other", () => {
	const keys = new RecentKeys();
	const known = (prefix: string) =>
		Array.from({ length: 50_000 }, (_, at) => `${prefix}${at}`).filter((key) => keys.add(key)).length;
	expect(known("a")).toBeLessThan(50);
	expect(known("a")).toBeGreaterThan(40_000);
	expect(known("b")).toBeLessThan(50);
});
