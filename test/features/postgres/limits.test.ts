/** Tests of the rate limit windows that several instances share, and of the SQL functions for these windows. */
import { expect } from "bun:test";
import fc from "fast-check";
import { DAY_MS } from "../../../src/core/lib/clock.ts";
import { clientKey, networkLimits } from "../../../src/core/lib/ip-address.ts";
import { SlidingWindow } from "../../../src/core/lib/sliding-window.ts";
import type { PostgresStore } from "../../../src/features/postgres/postgres-store.ts";
import { connectTo, testOnStore } from "./support/shared.ts";

const WINDOW_MS = 10_000;
const START_MS = Date.UTC(2026, 2, 10, 12);

async function timesOf(store: PostgresStore, key: string): Promise<unknown> {
	const [row] = await store.query("select array_to_json(times) as times from limits where key = $1", [key]);
	return row?.times;
}

async function forget(store: PostgresStore, nowMs: number, atMost = 100): Promise<unknown> {
	const [row] = await store.query("select forget_limits($1, $2) as count", [nowMs, atMost]);
	return row?.count;
}

testOnStore("instances sharing a rate limit window admit the same calls as one instance", async (store) => {
	const step = fc.record({
		address: fc.constantFrom(
			"192.0.2.1",
			"2001:db8:1:100::1",
			"2001:db8:1:101::1",
			"2001:db8:1:1ff::1",
			"2001:db8:1:200::1",
			"2001:db8:2:100::1",
		),
		// The negative step sets the clock back so far that the clock never reaches the earlier times again.
		passesMs: fc.constantFrom(0, 0, 1, 400, 3_000, 9_999, 10_000, -DAY_MS),
		isRefunded: fc.boolean(),
	});
	const history = fc.array(step, { minLength: 30, maxLength: 60 });
	let histories = 0;
	await fc.assert(
		fc.asyncProperty(fc.integer({ min: 1, max: 2 }), history, async (limit, steps) => {
			const single = new SlidingWindow(WINDOW_MS, 1_000);
			const shared = store.createWindow(`history ${++histories}`, WINDOW_MS);
			let nowMs = START_MS;
			for (const { address, passesMs, isRefunded } of steps) {
				nowMs += passesMs;
				const keys = networkLimits(clientKey(address, null, []), limit);
				const expected = single.admit(keys, nowMs);
				expect(await shared.admit(keys, nowMs)).toEqual(expected);
				if (!expected.admitted || !isRefunded) continue;
				single.refund(keys, nowMs);
				await shared.refund(keys, nowMs);
			}
		}),
		{ numRuns: 20 },
	);
});

testOnStore(
	"an instance admits a call beyond the rate limit only if its clock is more than a second behind",
	async (store) => {
		const keys = [{ key: "a", limit: 2 }];
		for (const [behindMs, admitted] of [
			[0, false],
			[999, false],
			[1_000, false],
			[1_001, true],
		] as const) {
			const window = store.createWindow(`${behindMs}`, WINDOW_MS);
			await window.admit(keys, START_MS);
			await window.admit(keys, START_MS);
			expect(await window.admit(keys, START_MS - behindMs)).toMatchObject({ admitted });
		}
	},
);

testOnStore(
	"a call refused by one of its rate limits counts for none, even if concurrent calls check them in reverse",
	async (store) => {
		const window = store.createWindow("w", WINDOW_MS);
		const keys = [
			{ key: "a", limit: 100 },
			{ key: "z", limit: 5 },
		];
		const calls = Array.from({ length: 60 }, (_, at) =>
			window.admit(at % 2 === 0 ? keys : keys.toReversed(), START_MS),
		);
		const verdicts = await Promise.all(calls);
		expect(verdicts.filter(({ admitted }) => admitted).length).toBe(5);
		expect(await timesOf(store, "a")).toHaveLength(5);
		expect(await timesOf(store, "z")).toHaveLength(5);
	},
	16,
);

testOnStore("a call that a rate limit refuses writes nothing", async (store) => {
	const window = store.createWindow("w", WINDOW_MS);
	const state = () => store.query("select key, xmin::text, xmax::text, times::text from limits", []);
	await window.admit([{ key: "a", limit: 1 }], START_MS);
	const before = await state();
	const keys = [
		{ key: "new", limit: 5 },
		{ key: "a", limit: 1 },
	];
	const verdict = await window.admit(keys, START_MS + 1);
	expect(verdict).toEqual({ admitted: false, remaining: 0, resetSeconds: 10 });
	expect(await state()).toEqual(before);
});

testOnStore(
	"forget_limits deletes up to the given number of expired counts, and skips locked rows",
	async (store, url) => {
		const window = store.createWindow("w", WINDOW_MS);
		const admit = (key: string, nowMs = START_MS) => window.admit([{ key, limit: 1 }], nowMs);
		for (const key of ["a", "b", "c"]) await admit(key);
		const overMs = START_MS + (WINDOW_MS * 5) / 4;
		expect(await forget(store, overMs - 1)).toBe(0);
		expect((await admit("a", START_MS + WINDOW_MS - 1)).admitted).toBe(false);
		await using other = connectTo(url);
		await other.query("begin; select from limits where key = 'b' for update");
		expect(await forget(store, overMs)).toBe(2);
		await other.query("commit");
		expect(await timesOf(store, "b")).toEqual([START_MS]);
		await admit("c", overMs);
		expect(await forget(store, overMs, 1)).toBe(1);
		expect(await timesOf(store, "c")).toEqual([overMs]);
	},
);

testOnStore(
	"forget_limits keeps the count of a key until the newest call with the key has left the window",
	async (store) => {
		const window = store.createWindow("w", WINDOW_MS);
		const quarterMs = WINDOW_MS / 4;
		for (const afterMs of [0, quarterMs, quarterMs + 1, 3 * quarterMs]) {
			const nowMs = START_MS + afterMs;
			await window.admit([{ key: "a", limit: 5 }], nowMs);
			expect(await forget(store, nowMs + WINDOW_MS - 1)).toBe(0);
		}
	},
);
