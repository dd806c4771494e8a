import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, renameSync } from "node:fs";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { agentIds, insertAgent } from "./rows.ts";
import { useStore } from "./use-store.ts";

const { folder, store, write, add } = useStore();
beforeEach(() => store.sqlite.run("PRAGMA busy_timeout = 0"));

/** Adds an agent whose row is so large that the database needs new pages. */
const addMuch = (id: string) =>
	write(() => {
		insertAgent(store, id);
		store.sqlite.run("UPDATE agents SET bio = ? WHERE id = ?", ["long ".repeat(50_000), id]);
	});

/** Prevents the database from growing, like a full disk. */
const fill = () => store.sqlite.run("PRAGMA max_page_count = 1");

/** Requires that all changes fail with the error `unavailable`, which says to retry after 5 seconds. */
async function expectUnavailable(writes: Promise<unknown>[]): Promise<void> {
	for (const settled of await Promise.allSettled(writes)) {
		if (settled.status === "fulfilled") throw new Error("was stored");
		const { reason } = settled;
		if (!(reason instanceof ResortError)) throw reason;
		expect(reason.code).toBe("unavailable");
		expect(reason.message).toBe("Storage unavailable");
		expect(reason.details.retryAfterSeconds).toBe(5);
	}
}

describe("a full disk", () => {
	test("makes all changes in a group fail, and changes succeed again once there is room", async () => {
		await add("before");
		fill();
		for (let tries = 0; tries < 3; tries++) {
			await expectUnavailable([add("a"), addMuch("b"), add("c")]);
			expect(agentIds(store)).toEqual(["before"]);
			expect(store.sqlite.inTransaction).toBe(false);
		}
		store.sqlite.run("PRAGMA max_page_count = 1000000");
		await Promise.all([addMuch("a"), add("b")]);
		expect(agentIds(store)).toEqual(["before", "a", "b"]);
	});

	test("makes all 256 changes of a group fail, but not the next change, which writes nothing", async () => {
		fill();
		const first: Promise<unknown>[] = [addMuch("much")];
		for (let at = 1; at < 256; at++) first.push(add(`${at}`));
		const next = write(() => agentIds(store).length);
		await expectUnavailable(first);
		expect(await next).toBe(0);
	});
});

test("the store stays unhealthy after a change has found a damaged file, even if later changes succeed", async () => {
	await add("before");
	expect(await store.isHealthy()).toBe(true);
	const damaged = write(() => {
		throw Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" });
	});
	await expectUnavailable([damaged]);
	await add("elsewhere");
	expect(await store.isHealthy()).toBe(false);
});

test.each(["resort.sqlite", "resort.sqlite-wal"])(
	"while `%s` is missing or replaced, the store reads but refuses changes, and accepts them once the file is back",
	async (name) => {
		const file = folder.file(name);
		const away = folder.file("away");
		await add("before");
		renameSync(file, away);
		await expectUnavailable([add("a"), add("b")]);
		expect(agentIds(store)).toEqual(["before"]);
		expect(await store.isHealthy()).toBe(false);
		copyFileSync(away, file);
		const refused = expectUnavailable([add("a")]);
		// If the file was replaced, a change fails at once. The store retries changes only while another program
		// holds the lock.
		await new Promise((resolve) => setImmediate(resolve));
		expect(store.statistics.pending).toBe(0);
		await refused;
		renameSync(away, file);
		await add("c");
		expect(agentIds(store)).toEqual(["before", "c"]);
		expect(await store.isHealthy()).toBe(true);
	},
);

describe("another program", () => {
	let other: Database;

	beforeEach(() => {
		other = new Database(folder.file());
	});
	afterEach(() => other.close());

	test("makes all pending changes fail if it keeps the write lock; new changes succeed once the lock is released", async () => {
		other.run("BEGIN IMMEDIATE");
		// A commit contains at most 256 changes, so 600 changes need at least three commits. As soon as the first
		// commit has failed, no change may be pending.
		const writes = Array.from({ length: 600 }, (_, at) => add(`${at}`));
		await expectUnavailable(writes.slice(0, 1));
		expect(store.statistics.pending).toBe(0);
		await expectUnavailable(writes);
		other.run("ROLLBACK");
		await add("c");
		expect(agentIds(store)).toEqual(["c"]);
	});

	test("delays changes, but not reads, if it holds the write lock for a short time", async () => {
		other.run("BEGIN IMMEDIATE");
		const added = add("a");
		await Bun.sleep(50);
		const startedAt = performance.now();
		expect(agentIds(store)).toEqual([]);
		expect(performance.now() - startedAt).toBeLessThan(1_000);
		other.run("ROLLBACK");
		await added;
		expect(agentIds(store)).toEqual(["a"]);
	});

	test("cannot write between the reads and the writes of a change", async () => {
		await write(() => {
			expect(agentIds(store).length).toBe(0);
			expect(() => other.run("DELETE FROM agents")).toThrow("locked");
			insertAgent(store, "a");
		});
		expect(agentIds(store)).toEqual(["a"]);
	});
});
