import { describe, expect, test } from "bun:test";
import { createCache, createSizedCache } from "../../../src/core/lib/bounded-cache.ts";

/** Returns a cache with a maximum number of entries and bytes, in which each value is its own size. */
function byBytes(maxEntries: number, maxBytes: number) {
	return createSizedCache({ maxEntries, maxBytes }, (bytes: number) => bytes);
}

test.each([
	["entries", createCache<number>(10)],
	["entries and bytes", byBytes(10, 1_000_000)],
])("a cache bounded by %s evicts the least recently used entry", (_, cache) => {
	cache.set("used", 1);
	for (let at = 0; at < 100; at++) {
		cache.set(`${at}`, at);
		cache.get("used");
		expect(cache.size).toBeLessThanOrEqual(10);
	}
	expect(cache.get("used")).toBe(1);
	expect(cache.get("90")).toBeUndefined();
	expect(cache.get("91")).toBe(91);
});

describe("a cache bounded by bytes", () => {
	test("counts values and keys", () => {
		const cache = byBytes(1_000_000, 100_000);
		for (let at = 0; at < 10_000; at++) cache.set(`${at}`, 1_000);
		expect(cache.size).toBe(99);
		for (let at = 0; at < 20_000; at++) cache.set(`${at}`.padStart(100), 0);
		expect(cache.size).toBe(1_000);
	});

	test("stores an empty value under an empty key", () => {
		const cache = byBytes(10, 10);
		cache.set("", 0);
		expect(cache.get("")).toBe(0);
	});

	test("does not store a value that is larger than the cache, and deletes the value that it would replace", () => {
		const cache = byBytes(10, 100_000);
		cache.set("a", 1);
		cache.set("b", 1);
		cache.set("a", 100_000);
		expect(cache.get("a")).toBeUndefined();
		expect(cache.size).toBe(1);
		cache.set("a", 99_999);
		expect(cache.get("a")).toBe(99_999);
		expect(cache.size).toBe(1);
	});
});
