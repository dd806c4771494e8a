import { expect } from "bun:test";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { openSession } from "../../../src/features/postgres/postgres-session.ts";
import type { PostgresStore } from "../../../src/features/postgres/postgres-store.ts";
import { createSharedWindow } from "../../../src/features/postgres/shared-window.ts";
import { until } from "../../support/until.ts";
import { connectTo } from "./database.ts";
import { openPostgres } from "./support/lazy-store.ts";
import { newDatabase } from "./support/shared.ts";
import { testOnPostgres } from "./support/test-on-postgres.ts";

async function metricOf(store: PostgresStore, name: string) {
	const found = store.metrics.find((metric) => metric.name.endsWith(name));
	return await found?.read();
}

testOnPostgres("the store opens all connections, and its metrics start at 0", async () => {
	const url = await newDatabase({ withTables: true });
	const store = await openPostgres(url, 16);
	const open = async () => JSON.stringify(await metricOf(store, "connections"));
	await until(async () => (await open()) === '{"write":8,"read":7,"look":1}');
	expect(await metricOf(store, "_used")).toEqual({ write: 0, read: 0, look: 0 });
	for (const [name, value] of [
		["_up", 1],
		["_retries_total", 0],
		["_looks_total", 1],
		["_look_failures_total", 0],
		["_waiters", 0],
		["_waits_total", 0],
	] as const) {
		expect([name, await metricOf(store, name)]).toEqual([name, value]);
	}
	const lookedSeconds = await metricOf(store, "_look_seconds_total");
	expect(lookedSeconds).toBeWithin(0, performance.now() / 1_000);
	expect(store.statistics).toEqual({ pending: 0, commits: 0, committedChanges: 0 });
	expect(store.isShared).toBe(true);
	await store.close();
});

testOnPostgres("the store repeats a read once if its connection is lost", async () => {
	const store = await openPostgres(await newDatabase({ withTables: true }));
	const one = store.prepare("select 1 as n");
	const end = store.prepare("select pg_terminate_backend(pg_backend_pid()) as n");
	let runs = 0;
	const read = (losses: number) =>
		store.read(function* () {
			runs++;
			const first = yield* one.get([], ({ n }) => n);
			if (runs <= losses) yield* end.get([], () => null);
			return [first, yield* one.all([], ({ n }) => n)];
		});
	expect(await read(1)).toEqual([1, [1]]);
	expect(runs).toBe(2);
	runs = 0;
	await expect(read(2)).rejects.toMatchObject({ code: "unavailable" });
	expect(runs).toBe(2);
	await store.close();
});

testOnPostgres(
	"the store limits the duration of statements except for long work, and counts the connections of instances",
	async () => {
		const url = await newDatabase({ withTables: true });
		const store = await openPostgres(url);
		const address = readAddress(url, {});
		await using session = await openSession(address);
		await using patient = await openSession(address, false);
		const limit = "select current_setting('statement_timeout') as limit";
		const limits = [store.query(limit, []), session.run(limit), patient.run(limit)];
		expect((await Promise.all(limits)).flat()).toEqual([
			{ limit: "1500ms" },
			{ limit: "1500ms" },
			{ limit: "0" },
		]);
		await using former = connectTo(url, 1);
		await former.query("select pg_advisory_lock_shared(7351206, 0)");
		await until(async () => (await session.countServing()) === 3);
		expect(await session.isHeldUp(0)).toBe(false);
		await store.close();
	},
);

testOnPostgres(
	"the store replaces a connection if a prepared statement no longer matches the schema",
	async () => {
		const url = await newDatabase({ withTables: true });
		const store = await openPostgres(url);
		const ask = () => store.query("select * from nonces", []);
		expect(await ask()).toEqual([]);
		await using other = connectTo(url, 1);
		await other.query("alter table nonces add extra text");
		// The statement was prepared on the only connection for reads.
		await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
		expect(await ask()).toEqual([]);
		await store.close();
	},
);

testOnPostgres(
	"every 64th call of a shared window deletes the expired counts of at most 128 keys",
	async () => {
		const store = await openPostgres(await newDatabase({ withTables: true }));
		const forgotten: unknown[] = [];
		const window = createSharedWindow(
			(text, parameters) => {
				if (text.includes("forget")) forgotten.push(parameters);
				return store.query(text, parameters);
			},
			"w",
			1_000,
		);
		const keys = [{ key: "a", limit: 65 }];
		for (let left = 64; left >= 0; left--) {
			const verdict = { admitted: true, remaining: left, resetSeconds: 1 };
			expect(await window.admit(keys, left)).toEqual(verdict);
		}
		expect(await window.admit(keys, 0)).toMatchObject({ admitted: false });
		expect(forgotten).toEqual([
			[64, 128],
			[0, 128],
		]);
		expect(await window.size).toBe(1);
		await store.close();
	},
);
