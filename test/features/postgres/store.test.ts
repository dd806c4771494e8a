import { expect, test } from "bun:test";
import { readAddress } from "../../../src/features/postgres/credentials.ts";
import { currentDeadline, withDeadline } from "../../../src/features/postgres/deadline.ts";
import { openSession } from "../../../src/features/postgres/postgres-session.ts";
import { createSharedWindow, type RunStatement } from "../../../src/features/postgres/shared-window.ts";
import { until } from "../../support/until.ts";
import { change } from "./support/databases.ts";
import { startProxy } from "./support/proxy.ts";
import { CONNECTIONS, connectTo, openPostgres, portOf, testOnStore } from "./support/shared.ts";

testOnStore("the store repeats a read once if its connection is lost", async (store) => {
	const one = store.prepare("select 1 as n");
	const end = store.prepare("select pg_terminate_backend(pg_backend_pid()) as n");
	let runs = 0;
	const read = (losses: number) =>
		store.read(function* () {
			const first = yield* one.get([], ({ n }) => n);
			runs++;
			if (runs <= losses) yield* end.get([], () => null);
			return [first, yield* one.all([], ({ n }) => n)];
		});
	expect(await read(1)).toEqual([1, [1]]);
	expect(runs).toBe(2);
	runs = 0;
	await expect(read(2)).rejects.toMatchObject({ code: "unavailable" });
	expect(runs).toBe(2);
});

testOnStore(
	"a PostgreSQL session has timeouts and generic plans, unless it was opened for long work",
	async (store, url) => {
		await using patient = await openSession(readAddress(`${url}?application_name=own`, {}), false);
		const usual = {
			application_name: "agent-resort",
			statement_timeout: "1500ms",
			lock_timeout: "1500ms",
			idle_in_transaction_session_timeout: "2500ms",
			plan_cache_mode: "force_generic_plan",
			TimeZone: "UTC",
			jit: "off",
		};
		const names = Object.keys(usual).map((name) => `current_setting('${name}') as "${name}"`);
		expect(await store.query(`select ${names}`, [])).toEqual([usual]);
		const own = {
			application_name: "own",
			statement_timeout: "0",
			lock_timeout: "0",
			idle_in_transaction_session_timeout: "0",
			plan_cache_mode: "auto",
		};
		expect(await patient.run(`select ${names}`)).toEqual([{ ...usual, ...own }]);
	},
);

testOnStore("countServing() includes connections of instances of earlier versions", async (store, url) => {
	await using former = connectTo(url);
	await former.query("select pg_advisory_lock_shared(7351206, 0)");
	await using session = await openSession(readAddress(url, {}));
	await until(async () => {
		// A query opens the connection for reads if it could not be opened at the start.
		await store.query("select 1", []);
		return (await session.countServing()) === 3;
	});
});

testOnStore(
	"the store replaces a connection that has prepared a statement for an older schema",
	async (store, url) => {
		const ask = () => store.query("select * from nonces", []);
		expect(await ask()).toEqual([]);
		await change(url, "alter table nonces add extra text");
		// This query runs on the same connection, because the store has only one for reads.
		await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
		expect(await ask()).toEqual([]);
	},
);

testOnStore("a rate limit deletes up to 128 expired keys at the first of every 64 calls", async (store) => {
	const forgotten: unknown[] = [];
	const run: RunStatement = (text, parameters) => {
		if (text.includes("forget")) forgotten.push(parameters);
		return store.query(text, parameters);
	};
	const window = createSharedWindow(run, "w", 1_000);
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
});

testOnStore(
	"the store immediately refuses calls during an outage, and reconnects afterwards",
	async (_, url) => {
		await using proxy = await startProxy(portOf(url));
		const store = await openPostgres(proxy.url(url));
		proxy.blackhole();
		await until(async () => !(await store.isHealthy()));
		await until(() => store.fault !== null);
		const startMs = performance.now();
		for (let calls = 0; calls < 20; calls++) {
			expect(await store.isHealthy()).toBe(false);
		}
		expect(performance.now() - startMs).toBeLessThan(1_000);
		proxy.heal();
		await until(() => store.isHealthy());
		await until(() => store.fault === null);
		await store.close();
	},
);

testOnStore("a change that throws before it runs a statement releases its connection", async (store) => {
	for (let calls = 0; calls < CONNECTIONS; calls++) {
		const change = store.write(() => {
			throw new Error("before the first statement");
		});
		await expect(change).rejects.toThrow("before the first statement");
	}
	expect(await store.write(() => store.lock("a"))).toBeUndefined();
});

testOnStore(
	"the store closes idle connections if the server does not respond on another connection",
	async (_, url) => {
		await using proxy = await startProxy(portOf(url));
		const both = url.replace(`:${portOf(url)}`, `:${proxy.port},127.0.0.1:${portOf(url)}`);
		const store = await openPostgres(both, 16);
		let commits = 0;
		const commit = () =>
			store.write(function* () {
				yield* store.prepare("insert into nonces (nonce, expires_at) values (?, 0)").run([`${commits++}`]);
			});
		// Opens all connections for writes.
		await Promise.all(Array.from({ length: 8 }, commit));
		proxy.blackhole();
		const startMs = performance.now();
		const passedMs = () => performance.now() - startMs;
		let lastFailureMs = 0;
		const callers = Array.from({ length: 3 }, async () => {
			while (passedMs() < 4_500) {
				await commit().catch(() => {
					lastFailureMs = passedMs();
				});
				await Bun.sleep(5);
			}
		});
		await Promise.all(callers);
		// A change fails after at most 1.9 s. If the store kept the other silent connections, the next change would
		// wait 1.7 s for a response on one of them, and fail 3.6 s after the start.
		expect(lastFailureMs).toBeGreaterThan(1_000);
		expect(lastFailureMs).toBeLessThan(3_400);
		await store.close();
	},
);

testOnStore("withoutDeadline() runs work without the deadline of the current request", async (store) => {
	const sleep = store.prepare("select cast(pg_sleep(0.5) as text) as slept");
	const ask = () => sleep.get([], () => null);
	// Each statement takes less time than a request may wait, but all four together take more.
	const work = async () => {
		for (let at = 0; at < 2; at++) {
			await store.read(ask);
			await store.write(ask);
		}
		return "done";
	};
	expect(await store.withDeadline(() => store.withoutDeadline(work))).toBe("done");
	await expect(store.withDeadline(work)).rejects.toThrow("Storage unavailable");
});

test("work that outlives its request has no deadline", async () => {
	expect(currentDeadline()).toBeNull();
	const ended = Promise.withResolvers<void>();
	const { work, deadline } = await withDeadline(() => ({
		deadline: currentDeadline(),
		work: ended.promise.then(currentDeadline),
	}));
	expect(deadline).toMatchObject({ isExceeded: false, isOver: true });
	ended.resolve();
	expect(await work).toBeNull();
});
