import { expect, test } from "bun:test";
import { HotStore } from "../../src/answers/hot-store.ts";

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
