import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rule } from "../support/store.ts";
import { agentIds, countAgents, insertAgent } from "./rows.ts";
import { useStore } from "./use-store.ts";
import { commitsInWal } from "./wal.ts";

const { folder, store } = useStore();
/** A second connection, which sees what is committed and nothing else. */
let reader: Database;

beforeEach(() => {
	store.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	reader = new Database(folder.file(), { readonly: true });
});
afterEach(() => reader.close());

/** Asks for an agent to be added. */
function add(id: string): Promise<string> {
	return store.write(
		rule(() => {
			insertAgent(store, id);
			return id;
		}),
	);
}

/** Writes agents of these ids, and throws. */
function fail(ids: readonly string[] = []): Promise<never> {
	return store.write(
		rule(() => {
			for (const id of ids) insertAgent(store, id);
			throw new Error("rule");
		}),
	);
}

/** So many ids. */
function ids(count: number): string[] {
	return Array.from({ length: count }, (_, at) => `agent ${at}`);
}

/** How many agents another connection sees. */
function seen(): unknown {
	return reader.query("SELECT count(*) FROM agents").values()[0]?.[0];
}

describe("a change", () => {
	test("is run at the end of the turn, and answers what it returned", async () => {
		const write = add("a");
		expect(countAgents(store)).toBe(0);
		expect(await write).toBe("a");
		expect(await store.write(rule(() => undefined))).toBeUndefined();
		expect(await store.write(rule(() => countAgents(store)))).toBe(1);
	});

	test("answers after the commit: another connection sees the change, and not before", async () => {
		const moments: unknown[] = [];
		await Promise.all(
			ids(5).map(async (id) => {
				await store.write(
					rule(() => {
						insertAgent(store, id);
						moments.push(seen());
					}),
				);
				moments.push(seen());
			}),
		);
		expect(moments).toEqual([0, 0, 0, 0, 0, 5, 5, 5, 5, 5]);
	});

	test("keeps the order of the calls, in running, in the rows and in the answers", async () => {
		const counts: number[] = [];
		const answered: string[] = [];
		const asked = ids(600);
		await Promise.all(
			asked.map(async (id) => {
				await store.write(
					rule(() => {
						insertAgent(store, id);
						counts.push(countAgents(store));
					}),
				);
				answered.push(id);
			}),
		);
		// Each sees what those before it did in the same commit.
		expect(counts).toEqual(asked.map((_, at) => at + 1));
		expect(agentIds(store)).toEqual(asked);
		expect(answered).toEqual(asked);
	});
});

describe("group commit", () => {
	test.each([
		[1, 1],
		[2, 1],
		[100, 1],
		[256, 1],
		[257, 2],
		[600, 3],
	])("%d changes of one turn take %d commits", async (changes, commits) => {
		expect(commitsInWal(folder.file())).toBe(0);
		await Promise.all(ids(changes).map(add));
		expect(commitsInWal(folder.file())).toBe(commits);
		expect(seen()).toBe(changes);
	});

	test("changes asked for while others run come after them and are not lost", async () => {
		let inner: Promise<string> | undefined;
		await store.write(
			rule(() => {
				inner = add("inner");
				insertAgent(store, "outer");
			}),
		);
		expect(await inner).toBe("inner");
		expect(agentIds(store)).toEqual(["outer", "inner"]);
	});
});

describe("changes of several turns of the event loop", () => {
	const turn = () => new Promise((resolve) => setImmediate(resolve));

	test("share a commit when several came at once", async () => {
		const writes = [add("a"), add("b")];
		for (const id of ids(3)) {
			await turn();
			writes.push(add(id));
		}
		await Promise.all(writes);
		expect(store.statistics.commits).toBe(1);
	});

	test("do not when one came alone, which waits for nothing", async () => {
		const writes = [add("a")];
		await turn();
		expect(seen()).toBe(1);
		writes.push(add("b"));
		await Promise.all(writes);
		expect(store.statistics.commits).toBe(2);
	});

	test("do not keep the first one waiting for long", async () => {
		const writes = [add("a"), add("b")];
		let turns = 0;
		for (const id of ids(60)) {
			await turn();
			if (store.statistics.commits === 0) turns++;
			writes.push(add(id));
		}
		await Promise.all(writes);
		expect(turns).toBeLessThan(20);
		expect(store.statistics.commits).toBeGreaterThan(1);
		expect(seen()).toBe(62);
	});
});

describe("a change that throws", () => {
	test("undoes itself alone, and its caller gets what it threw", async () => {
		const settled = await Promise.allSettled([
			add("a"),
			fail(["b", "c"]),
			add("d"),
		]);
		expect(settled).toEqual([
			{ status: "fulfilled", value: "a" },
			{ status: "rejected", reason: new Error("rule") },
			{ status: "fulfilled", value: "d" },
		]);
		expect(agentIds(store)).toEqual(["a", "d"]);
		expect(commitsInWal(folder.file())).toBe(1);
	});

	test.each([
		["lets the others run once when it has written nothing", [], 2],
		["undoes what it has written, and the others run again", ["undone"], 3],
	])("%s", async (_, written, most) => {
		let runs = 0;
		const counted = () =>
			store.write(
				rule(() => {
					const id = `run ${++runs}`;
					insertAgent(store, id);
					return id;
				}),
			);
		const settled = await Promise.allSettled([
			counted(),
			fail(written),
			counted(),
		]);
		const ids = settled.flatMap((one) =>
			one.status === "fulfilled" ? [one.value] : [],
		);
		expect(ids).toHaveLength(2);
		expect(agentIds(store)).toEqual(ids);
		expect(runs).toBe(most);
		expect(store.statistics).toEqual({
			pending: 0,
			commits: 1,
			committedChanges: 3,
		});
	});

	test("undoes itself when it is alone", async () => {
		await expect(fail(["undone"])).rejects.toThrow("rule");
		expect(countAgents(store)).toBe(0);
		expect(await add("next")).toBe("next");
		expect(agentIds(store)).toEqual(["next"]);
	});

	test("undoes an update and a deletion as well", async () => {
		await add("a");
		for (const sql of [
			"UPDATE agents SET name = 'other'",
			"DELETE FROM agents",
		]) {
			const write = store.write(
				rule(() => {
					store.sqlite.run(sql);
					throw new Error("rule");
				}),
			);
			await Promise.allSettled([write, store.write(rule(() => {}))]);
			await expect(write).rejects.toThrow("rule");
		}
		const names = store.sqlite.query("SELECT id, name FROM agents").values();
		expect(names).toHaveLength(1);
		expect(names[0]?.[1]).not.toBe("other");
	});

	test.each([0, 128, 255, 256, 299])(
		"keeps the order of 300 when number %d throws",
		async (bad) => {
			const asked = ids(300);
			const answered: string[] = [];
			await Promise.all(
				asked.map((id, at) =>
					(at === bad ? fail([id]) : add(id)).then(
						() => answered.push(id),
						() => {},
					),
				),
			);
			const kept = asked.filter((_, at) => at !== bad);
			expect(agentIds(store)).toEqual(kept);
			expect(answered).toEqual(kept);
			expect(seen()).toBe(299);
			expect(store.statistics.commits).toBe(2);
		},
	);

	test("may be one that broke a constraint", async () => {
		const [first, again, other] = await Promise.allSettled(
			["a", "a", "b"].map(add),
		);
		expect([first?.status, again?.status, other?.status]).toEqual([
			"fulfilled",
			"rejected",
			"fulfilled",
		]);
		expect(agentIds(store)).toEqual(["a", "b"]);
	});

	test("is no reason to commit when there is nothing else", async () => {
		await expect(fail()).rejects.toThrow("rule");
		expect(commitsInWal(folder.file())).toBe(0);
		expect(store.sqlite.inTransaction).toBe(false);
	});
});

describe("a change at once", () => {
	const addAtOnce = (id: string, after = () => {}) =>
		store.writeUnsynced(
			rule(() => {
				insertAgent(store, id);
				after();
				return id;
			}),
		);
	const synchronous = () =>
		store.sqlite.query("PRAGMA synchronous").values()[0]?.[0];
	const FULL = 2;

	test("is there for everybody when it returns, ahead of those that wait", async () => {
		const waiting = add("b");
		const done = addAtOnce("a");
		expect(seen()).toBe(1);
		expect(await done).toBe("a");
		await waiting;
		expect(agentIds(store)).toEqual(["a", "b"]);
		expect(store.statistics.commits).toBe(2);
	});

	test("leaves those that wait their sync of the log", async () => {
		const moments: unknown[] = [];
		await addAtOnce("a", () => moments.push(synchronous()));
		await store.write(rule(() => moments.push(synchronous())));
		expect(moments).toEqual([1, FULL]);
	});

	test("undoes itself alone when it throws", async () => {
		const waiting = add("b");
		const failing = addAtOnce("a", () => {
			throw new Error("rule");
		});
		await expect(failing).rejects.toThrow("rule");
		expect(synchronous()).toBe(FULL);
		expect(await waiting).toBe("b");
		expect(agentIds(store)).toEqual(["b"]);
	});

	test("waits for another program that writes, as any change does", async () => {
		using other = new Database(folder.file());
		other.run("BEGIN IMMEDIATE");
		const waiting = addAtOnce("a");
		expect(synchronous()).toBe(FULL);
		expect(seen()).toBe(0);
		other.run("ROLLBACK");
		expect(await waiting).toBe("a");
		expect(agentIds(store)).toEqual(["a"]);
	});
});
