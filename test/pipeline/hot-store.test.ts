import { describe, expect, test } from "bun:test";
import { HotStore } from "../../src/pipeline/hot-store.ts";

const MIB = 1024 * 1024;

function heapMib(): number {
	Bun.gc(true);
	return process.memoryUsage().heapUsed / MIB;
}

const value = () => ({ size: 300, isHot: false });

test("a full store keeps no trace of what was replaced, forgotten or cleared", () => {
	const store = new HotStore<ReturnType<typeof value>>(5_000, 64 * MIB);
	for (let at = 0; at < 20_000; at++) store.set(`/first/${at}`, value());
	const before = heapMib();
	for (let at = 0; at < 200_000; at++) {
		store.set(`/first/${15_000 + (at % 5_000)}`, value());
	}
	for (let at = 0; at < 200_000; at++) store.set(`/second/${at}`, value());
	for (let at = 0; at < 2_000; at++) {
		store.clear();
		store.set(`/third/${at}`, value());
	}
	expect(store.count).toBe(1);
	expect(heapMib() - before).toBeLessThan(10);
});

test.each([
	[255, 255],
	[256, 255],
	[5_000, 4_981],
])(
	"a store of %d places makes room for a part of them at once",
	(places, left) => {
		const store = new HotStore<ReturnType<typeof value>>(places, 64 * MIB);
		for (let at = 0; at < places; at++) store.set(`/${at}`, value());
		expect(store.count).toBe(places);
		store.set("/more", value());
		expect(store.count).toBe(left);
		expect(store.get("/0")).toBeUndefined();
		expect(store.get(`/${places - 1}`)).toBeDefined();
		expect(store.get("/more")).toBeDefined();
	},
);

describe("a store of what is asked for often", () => {
	const value = (size: number) => ({ size, isHot: false });

	test("is bounded in number: what nobody asked for goes first", () => {
		const hot = new HotStore(10, 1_000_000);
		hot.set("asked", value(1));
		for (let at = 0; at < 100; at++) {
			hot.set(`${at}`, value(1));
			hot.get("asked");
			expect(hot.count).toBeLessThanOrEqual(10);
		}
		expect(hot.get("asked")).toBeDefined();
		expect(hot.get("0")).toBeUndefined();
		expect(hot.get("99")).toBeDefined();
	});

	test("is bounded in bytes, keys included", () => {
		const hot = new HotStore(1_000_000, 100_000);
		for (let at = 0; at < 10_000; at++) hot.set(`${at}`, value(1_000));
		expect(hot.count).toBeWithin(90, 101);
		for (let at = 0; at < 20_000; at++)
			hot.set(`${at}`.padStart(100), value(0));
		expect(hot.count).toBeWithin(990, 1_001);
	});

	test("forgets something also when all have been asked for", () => {
		const hot = new HotStore(1_000, 1_000_000);
		for (let at = 0; at < 2_000; at++) {
			hot.set(`${at}`, value(1));
			hot.get(`${at}`);
		}
		expect(hot.count).toBe(1_000);
	});

	test("counts a value once that is set again and again, or deleted", () => {
		const hot = new HotStore(1_000, 100_000);
		for (let round = 0; round < 100; round++) {
			for (let at = 0; at < 20; at++) hot.set(`${at}`, value(1_000));
			hot.delete("7");
		}
		expect(hot.count).toBe(19);
	});

	test("takes no value that is larger than the whole of it", () => {
		const hot = new HotStore(10, 100_000);
		hot.set("b", value(1));
		hot.set("a", value(100_000));
		expect(hot.count).toBe(1);
		hot.set("a", value(99_999));
		expect(hot.get("a")).toBeDefined();
		expect(hot.count).toBe(1);
	});
});
