import { expect } from "bun:test";
import type { Task } from "../../../src/core/store/task.ts";
import type { PostgresStore } from "../../../src/features/postgres/postgres-store.ts";
import { until } from "../../support/until.ts";
import { change, waitForLocks } from "./support/databases.ts";
import { connectTo, openPostgres, testOnStore } from "./support/shared.ts";

/** Returns the times in the table `nonces`, by nonce. */
async function kept(store: PostgresStore): Promise<Record<string, number>> {
	const rows = await store.query("select nonce, expires_at from nonces", []);
	return Object.fromEntries(rows.map(({ nonce, expires_at }) => [nonce, expires_at]));
}

async function request<T>(store: PostgresStore, task: () => Task<T>): Promise<T> {
	return store.withDeadline(() => store.write(task));
}

function* insert(store: PostgresStore, nonce: string): Task<void> {
	yield* store.prepare("insert into nonces (nonce, expires_at) values (?, 0)").run([nonce]);
}

function* increment(store: PostgresStore, nonce: string): Task<number> {
	const text = "select expires_at as n from nonces where nonce = ?";
	const n = yield* store.prepare(text).get([nonce], (row) => Number(row.n));
	yield* store.prepare("update nonces set expires_at = ? where nonce = ?").run([(n ?? 0) + 1, nonce]);
	return (n ?? 0) + 1;
}

function* sleep(store: PostgresStore, seconds: number): Task<void> {
	yield* store.prepare("select cast(pg_sleep(?) as text) as slept").get([seconds], () => null);
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

/** Counts a run of the task `name`. Returns whether it is the first run of this task. */
function isFirst(runs: Record<string, number>, name: string): boolean {
	runs[name] = (runs[name] ?? 0) + 1;
	return runs[name] === 1;
}

/** Returns what {@link kept} returns after {@link insert} has inserted these nonces. */
const allZero = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, 0]));

testOnStore("at most 16 changes that arrive together share a commit", async (store) => {
	const all = names(17);
	for (const [some, groups] of [
		[all.slice(1), 1],
		[all.map((name) => `${name}+`), 2],
	] as const) {
		const { commits, committedChanges } = store.statistics;
		await Promise.all(some.map((name) => request(store, () => insert(store, name))));
		expect(await kept(store)).toMatchObject(allZero(some));
		expect(store.statistics.commits).toBe(commits + groups);
		expect(store.statistics.committedChanges).toBe(committedChanges + some.length);
	}
	const { commits } = store.statistics;
	// Outside of requests, each change has its own commit.
	await Promise.all(["a", "b"].map((name) => store.write(() => insert(store, name))));
	expect(store.statistics.commits).toBe(commits + 2);
});

testOnStore(
	"changes that arrive while all shared transactions are busy share the next transaction",
	async (store) => {
		const { commits } = store.statistics;
		const changes: Promise<unknown>[] = [];
		for (const name of names(5)) {
			changes.push(
				request(store, function* () {
					// With 16 connections, there are at most two shared transactions. Changes 0 and 1 occupy both.
					if (Number(name) < 2) yield* sleep(store, 0.4);
					yield* insert(store, name);
				}),
			);
			for (let turn = 0; turn < 2; turn++) {
				await new Promise((resolve) => setImmediate(resolve));
			}
		}
		await Promise.all(changes);
		expect(store.statistics.commits).toBe(commits + 3);
	},
	16,
);

testOnStore("changes that need the same lock run one after the other", async (store) => {
	await store.write(() => insert(store, "advisory"));
	await store.write(() => insert(store, "row"));
	const locked = store.prepare("select nonce from nonces where nonce = ?", true);
	const { commits } = store.statistics;
	const increments = (nonce: string, lock: () => Task<unknown>) =>
		Promise.all(
			names(6).map(() =>
				request(store, function* () {
					yield* lock();
					return yield* increment(store, nonce);
				}),
			),
		);
	const counts = await Promise.all([
		increments("advisory", () => store.lock("a")),
		increments("row", () => locked.get(["row"], () => null)),
	]);
	const all = [1, 2, 3, 4, 5, 6];
	expect(counts).toEqual([all, all]);
	expect(await kept(store)).toEqual({ advisory: 6, row: 6 });
	expect(store.statistics.commits).toBe(commits + 1);
});

testOnStore(
	"changes that share a transaction run separately after a deadlock between them",
	async (store) => {
		await store.write(() => insert(store, "n"));
		const change = (first: string, second: string) =>
			request(store, function* () {
				yield* store.lock(first);
				yield* sleep(store, 0);
				yield* store.lock(second);
				return yield* increment(store, "n");
			});
		const counts = await Promise.all([change("a", "b"), change("b", "a")]);
		expect(counts.toSorted()).toEqual([1, 2]);
		expect(await kept(store)).toEqual({ n: 2 });
	},
);

testOnStore(
	"a change that throws does not make the other changes of its shared transaction run again",
	async (store) => {
		const runs: Record<string, number> = {};
		const { commits } = store.statistics;
		const all = names(4).map((name) =>
			request(store, function* () {
				isFirst(runs, name);
				yield* sleep(store, 0);
				yield* store.prepare("update nonces set expires_at = 1").run([]);
				yield* sleep(store, 0);
				yield* insert(store, name);
				if (name === "1") throw new Error("refused");
				yield* sleep(store, 0);
			}),
		);
		await expect(all[1]).rejects.toThrow("refused");
		await Promise.all(all.toSpliced(1, 1));
		expect(await kept(store)).toEqual(allZero(["0", "2", "3"]));
		expect(runs).toEqual({ 0: 1, 1: 1, 2: 1, 3: 1 });
		expect(store.statistics.commits).toBe(commits + 1);
	},
);

testOnStore(
	"changes that throw after a write are rolled back, and the other changes of the transaction are committed",
	async (store) => {
		const all = names(6).map((name) =>
			request(store, function* () {
				yield* insert(store, name);
				yield* sleep(store, 0);
				if (Number(name) % 2 === 1) throw new Error(`refused ${name}`);
				yield* store.publish({ type: "t", agentId: name });
				return name;
			}),
		);
		const heard: unknown[] = [];
		store.subscribe(({ agentId }) => heard.push(agentId));
		const outcomes = await Promise.allSettled(all);
		expect(
			outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.message)),
		).toEqual(["0", "refused 1", "2", "refused 3", "4", "refused 5"]);
		expect(await kept(store)).toEqual(allZero(["0", "2", "4"]));
		expect(heard.toSorted()).toEqual(["0", "2", "4"]);
	},
);

testOnStore("if two changes in a shared transaction conflict, only one of them fails", async (store) => {
	const all = ["a", "same", "b", "same", "c"].map((name) => request(store, () => insert(store, name)));
	const outcomes = await Promise.allSettled(all);
	expect(outcomes.map(({ status }) => status).toSorted()).toEqual([
		...Array(4).fill("fulfilled"),
		"rejected",
	]);
	expect(outcomes.find(({ status }) => status === "rejected")).toMatchObject({
		reason: { code: "unavailable" },
	});
	expect(await kept(store)).toEqual(allZero(["a", "b", "c", "same"]));
	// After the group has failed, each of its 5 changes is retried alone. One of the two that conflict fails
	// again and again, up to 10 times in all.
	const retries = store.metrics.find(({ name }) => /retries/.test(name));
	expect(await retries?.read()).toBeWithin(6, 14);
});

testOnStore("every change is committed once after a deadlock between two instances", async (store, url) => {
	// By default, PostgreSQL detects a deadlock only after a second, and a request has two seconds in all.
	const name = new URL(url).pathname.slice(1);
	await change(url, `alter database "${name}" set deadlock_timeout = '100ms'`);
	const one = await openPostgres(url);
	const other = await openPostgres(url);
	await store.write(() => insert(store, "n"));
	const runs: Record<string, number> = {};
	const sleeps: Record<string, number> = {};
	const lockBoth = (at: PostgresStore, name: string, locks: string[]) =>
		request(at, function* () {
			const [first = "", second = ""] = locks;
			yield* at.lock(first);
			isFirst(runs, name);
			// The pause lets both groups take their first lock before they request the second one.
			if (isFirst(sleeps, first)) yield* sleep(at, 0.2);
			yield* at.lock(second);
			return yield* increment(at, "n");
		});
	const counts = await Promise.all([
		...names(3).map((name) => lockBoth(one, `a${name}`, ["x", "y"])),
		...names(3).map((name) => lockBoth(other, `b${name}`, ["y", "x"])),
	]);
	expect(counts.toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
	expect(await kept(store)).toEqual({ n: 6 });
	// At least one of the two groups was rolled back and ran again.
	expect(Math.max(...Object.values(runs))).toBeGreaterThan(1);
	await Promise.all([one.close(), other.close()]);
});

testOnStore(
	"two instances lock the same rows in the same order, so that no deadlock occurs",
	async (store, url) => {
		await using holder = connectTo(url);
		const other = await openPostgres(url);
		for (const name of ["x", "y"]) await store.write(() => insert(store, name));
		const runs: Record<string, number> = {};
		const lockAll = (at: PostgresStore, rows: readonly string[]) =>
			rows.map((nonce, index) =>
				request(at, function* () {
					isFirst(runs, `${index}`);
					const text = "select nonce from nonces where nonce = ?";
					yield* at.prepare(text, true).get([nonce], () => null);
				}),
			);
		await holder.query("begin; select 1 from nonces where nonce = 'x' for update");
		const one = lockAll(store, ["x", "y"]);
		await waitForLocks(holder.query, 1);
		const two = lockAll(other, ["y", "x"]);
		await waitForLocks(holder.query, 2);
		await holder.query("commit");
		await Promise.all([...one, ...two]);
		expect(runs).toEqual({ 0: 2, 1: 2 });
		await other.close();
	},
);

testOnStore(
	"a slow statement of a change does not delay the other changes of its shared transaction",
	async (store) => {
		const slow = request(store, function* () {
			yield* insert(store, "slow");
			yield* sleep(store, 1.1);
		});
		const order: string[] = [];
		await Promise.all([
			slow.then(() => order.push("slow")),
			request(store, () => insert(store, "quick")).then(() => order.push("quick")),
		]);
		expect(order).toEqual(["quick", "slow"]);
		expect(await kept(store)).toEqual(allZero(["quick", "slow"]));
	},
);

testOnStore(
	"a shared transaction is repeated once if its server process is terminated",
	async (store, url) => {
		await using killer = connectTo(url);
		const runs: Record<string, number> = {};
		const all = names(8);
		const changes = all.map((name) =>
			request(store, function* () {
				yield* insert(store, name);
				if (isFirst(runs, name)) yield* sleep(store, 0.4);
			}),
		);
		await until(async () => {
			const ended = await killer.query(
				`select pg_terminate_backend(pid) from pg_stat_activity
				where datname = current_database() and wait_event = 'PgSleep'`,
			);
			return ended.length > 0;
		});
		await Promise.all(changes);
		expect(await kept(store)).toEqual(allZero(all));
		expect(runs).toEqual(Object.fromEntries(all.map((name) => [name, 2])));
	},
);
