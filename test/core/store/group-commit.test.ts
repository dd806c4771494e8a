import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { count } from "drizzle-orm";
import { query } from "../../../src/core/store/query.ts";
import { agents } from "../../../src/core/store/tables.ts";
import type { Task } from "../../../src/core/store/task.ts";
import { rule } from "../../support/store.ts";
import { agentIds, insertAgent } from "./rows.ts";
import { useStore } from "./use-store.ts";

const { folder, store, write, add } = useStore();
/** A second connection, which sees only committed changes. */
let reader: Database;

beforeEach(() => {
	reader = new Database(folder.file(), { readonly: true });
});
afterEach(() => reader.close());

const fail = (id: string) =>
	write(() => {
		insertAgent(store, id);
		throw new Error("rule");
	});

const ids = (count: number) => Array.from({ length: count }, (_, at) => `agent ${at}`);

const seen = () => reader.query("SELECT count(*) FROM agents").values()[0]?.[0];

test("a change runs at the end of the current turn of the event loop, and its promise resolves after the commit", async () => {
	const moments: unknown[] = [];
	const writes = ids(5).map(async (id) => {
		const answer = await write(() => {
			insertAgent(store, id);
			moments.push(seen());
			return agentIds(store).length;
		});
		moments.push(seen());
		return answer;
	});
	expect(agentIds(store).length).toBe(0);
	// Each change sees the changes before it, although all of them are committed together.
	expect(await Promise.all(writes)).toEqual([1, 2, 3, 4, 5]);
	expect(moments).toEqual([0, 0, 0, 0, 0, 5, 5, 5, 5, 5]);
});

test.each([
	["1 change in 1 commit", 1, 1],
	["256 changes in 1 commit", 256, 1],
	["257 changes in 2 commits", 257, 2],
])("changes in one turn of the event loop are committed in order: %s", async (_, changes, commits) => {
	const answered: string[] = [];
	await Promise.all(ids(changes).map(async (id) => answered.push(await add(id))));
	expect(store.statistics.commits).toBe(commits);
	expect(agentIds(store)).toEqual(ids(changes));
	expect(answered).toEqual(ids(changes));
	expect(seen()).toBe(changes);
});

test("a change that is requested during another change runs after the other one", async () => {
	let inner: Promise<string> | undefined;
	await write(() => {
		inner = add("inner");
		insertAgent(store, "outer");
	});
	expect(await inner).toBe("inner");
	expect(agentIds(store)).toEqual(["outer", "inner"]);
});

describe("changes in several turns of the event loop", () => {
	const turn = () => new Promise((resolve) => setImmediate(resolve));

	test("share a commit if the first turn has several changes", async () => {
		const writes = [add("a"), add("b")];
		for (const id of ids(3)) {
			await turn();
			writes.push(add(id));
		}
		await Promise.all(writes);
		expect(store.statistics.commits).toBe(1);
	});

	test("do not share a commit if the first turn has one change", async () => {
		const writes = [add("a")];
		await turn();
		expect(seen()).toBe(1);
		writes.push(add("b"));
		await Promise.all(writes);
		expect(store.statistics.commits).toBe(2);
	});

	test("delay a commit by at most 16 turns", async () => {
		const writes = [add("a"), add("b")];
		let turns = 0;
		for (const id of ids(60)) {
			await turn();
			if (store.statistics.commits === 0) turns++;
			writes.push(add(id));
		}
		await Promise.all(writes);
		expect(turns).toBe(16);
		expect(store.statistics.commits).toBeGreaterThan(1);
		expect(seen()).toBe(62);
	});
});

describe("a change that throws", () => {
	test.each([
		["a SELECT", 2, "SELECT 1"],
		["an INSERT", 3, "INSERT INTO nonces (nonce, expires_at) VALUES ('n', 1)"],
		["an UPDATE", 3, "UPDATE agents SET name = 'other'"],
		["a DELETE", 3, "DELETE FROM agents"],
	])(
		"after %s is rolled back alone: the two other changes in its group are committed",
		async (_statement, most, sql) => {
			let runs = 0;
			const counted = () =>
				write(() => {
					const id = `run ${++runs}`;
					insertAgent(store, id);
					return id;
				});
			const failing = () =>
				write(() => {
					store.sqlite.run(sql);
					throw new Error("rule");
				});
			await add("a");
			await expect(failing()).rejects.toThrow("rule");
			const [first, undone, second] = [counted(), failing(), counted()];
			await expect(undone).rejects.toThrow("rule");
			expect(agentIds(store)).toEqual(["a", await first, await second]);
			expect(runs).toBe(most);
			expect(store.statistics).toEqual({ pending: 0, commits: 3, committedChanges: 5 });
			const left = "SELECT nonce FROM nonces UNION SELECT name FROM agents WHERE name <> 'Ada'";
			expect(store.sqlite.query(left).values()).toEqual([]);
			expect(store.sqlite.inTransaction).toBe(false);
		},
	);

	test.each([0, 255, 256, 299])(
		"at the index %d of 300 changes affects neither the other changes nor their order",
		async (bad) => {
			const asked = ids(300);
			const answered: string[] = [];
			await Promise.all(
				asked.map((id, at) =>
					(at === bad ? fail(id) : add(id)).then(
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
});

describe("writeUnsynced", () => {
	const addAtOnce = (id: string, after = () => {}) =>
		store.writeUnsynced(
			rule(() => {
				insertAgent(store, id);
				after();
				return id;
			}),
		);
	const synchronous = () => store.sqlite.query("PRAGMA synchronous").values()[0]?.[0];
	const FULL = 2;

	test("commits immediately and without a sync, before changes that are pending", async () => {
		const moments: unknown[] = [];
		const note = () => moments.push(synchronous());
		const waiting = [add("b"), write(note)];
		const done = addAtOnce("a", note);
		expect(seen()).toBe(1);
		expect(await done).toBe("a");
		await Promise.all(waiting);
		expect(agentIds(store)).toEqual(["a", "b"]);
		expect(store.statistics.commits).toBe(2);
		expect(moments).toEqual([1, FULL]);
	});

	test("rolls back only the change that throws", async () => {
		const waiting = add("b");
		let runs = 0;
		const failing = addAtOnce("a", () => {
			runs++;
			throw new Error("rule");
		});
		await expect(failing).rejects.toThrow("rule");
		expect(runs).toBe(1);
		expect(synchronous()).toBe(FULL);
		expect(await waiting).toBe("b");
		expect(agentIds(store)).toEqual(["b"]);
	});

	test("waits while another program holds the write lock", async () => {
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

describe("a read-only task", () => {
	const counted = query({ all: count() }, (builder, fields) => builder.select(fields).from(agents));

	function* countTwice(): Task<unknown> {
		const before = yield* counted(store).get({});
		using other = new Database(folder.file());
		other.run("DELETE FROM agents");
		return [before, yield* counted(store).get({})];
	}

	test("sees the same state in all of its queries", () => {
		insertAgent(store, "a");
		expect(store.read(countTwice)).toEqual([{ all: 1 }, { all: 1 }]);
		expect(store.read(() => counted(store).get({}))).toEqual({ all: 0 });
	});

	test("leaves no open transaction if it throws", () => {
		const failing = () =>
			store.read(function* (): Task<void> {
				yield* counted(store).get({});
				throw new Error("rule");
			});
		expect(failing).toThrow("rule");
		expect(store.sqlite.inTransaction).toBe(false);
	});
});
