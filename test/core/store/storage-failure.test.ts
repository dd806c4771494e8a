import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, renameSync, rmSync } from "node:fs";
import { ResortError } from "../../../src/core/lib/resort-error.ts";
import { rule } from "../../support/store.ts";
import { TemporaryFolder } from "../../support/temporary-folder.ts";
import { agentIds, countAgents, insertAgent } from "./rows.ts";
import { useStore } from "./use-store.ts";

const { folder, store } = useStore();
beforeEach(() => store.sqlite.run("PRAGMA busy_timeout = 0"));

function add(id: string): Promise<void> {
	return store.write(rule(() => insertAgent(store, id)));
}

/** Asks for an agent to be added that fits into no page that is there. */
function addMuch(id: string): Promise<void> {
	return store.write(
		rule(() => {
			insertAgent(store, id);
			store.sqlite.run("UPDATE agents SET bio = ? WHERE id = ?", ["long ".repeat(50_000), id]);
		}),
	);
}

/** Lets the database grow no more, as a full disk does. */
function fill(): void {
	store.sqlite.run("PRAGMA max_page_count = 1");
}

/** Expects all of a group to be refused as the contract's 503, with a time to come again. */
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
	test("refuses the whole group, and leaves the writer usable once there is room", async () => {
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

	test("refuses one group and not the next: 256 changes are one commit", async () => {
		fill();
		const first = [addMuch("much")];
		for (let at = 1; at < 256; at++) first.push(add(`${at}`));
		const next = store.write(rule(() => countAgents(store)));
		await expectUnavailable(first);
		expect(await next).toBe(0);
	});
});

test("is unhealthy from the first change on that finds the file damaged, whatever can be written elsewhere", async () => {
	await add("before");
	expect(await store.isHealthy()).toBe(true);
	const damaged = store.write(
		rule(() => {
			throw Object.assign(new Error("malformed"), { code: "SQLITE_CORRUPT" });
		}),
	);
	await expectUnavailable([damaged]);
	await add("elsewhere");
	expect(await store.isHealthy()).toBe(false);
});

describe("a database that was removed", () => {
	function move(from: string, to: string): void {
		renameSync(folder.file(from), folder.file(to));
	}

	test.each(["resort.sqlite", "resort.sqlite-wal"])(
		"takes no change without %s or with another file in its place, answers reads, and works again once it is back",
		async (name) => {
			await add("before");
			move(name, "away");
			await expectUnavailable([add("a"), add("b")]);
			expect(agentIds(store)).toEqual(["before"]);
			expect(await store.isHealthy()).toBe(false);
			copyFileSync(folder.file("away"), folder.file(name));
			const refused = expectUnavailable([add("a")]);
			// Unlike for a lock of another program, the store does not wait.
			await new Promise((resolve) => setImmediate(resolve));
			expect(store.statistics.pending).toBe(0);
			await refused;
			rmSync(folder.file(name));
			move("away", name);
			await add("c");
			expect(agentIds(store)).toEqual(["before", "c"]);
			expect(await store.isHealthy()).toBe(true);
		},
	);
});

describe("another program", () => {
	let other: Database;

	beforeEach(() => {
		other = new Database(folder.file());
	});
	afterEach(() => other.close());

	test("that keeps the write lock has all that waits refused at once, and the writer goes on after it", async () => {
		other.run("BEGIN IMMEDIATE");
		// More than two commits would carry.
		const writes = Array.from({ length: 600 }, (_, at) => add(`${at}`));
		await expectUnavailable(writes.slice(0, 1));
		expect(store.statistics.pending).toBe(0);
		await expectUnavailable(writes);
		other.run("ROLLBACK");
		await add("c");
		expect(agentIds(store)).toEqual(["c"]);
	});

	test("that has the write lock for a while delays changes, and no read", async () => {
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

	test("cannot write between what a change reads and what it writes", async () => {
		await store.write(
			rule(() => {
				expect(countAgents(store)).toBe(0);
				expect(() => other.run("DELETE FROM agents")).toThrow("locked");
				insertAgent(store, "a");
			}),
		);
		expect(agentIds(store)).toEqual(["a"]);
	});

	test("that stops the last change of a group has the ones before it undone too", async () => {
		using elsewhere = new TemporaryFolder();
		const locker = new Database(elsewhere.file());
		locker.run("CREATE TABLE spa (a)");
		store.sqlite.run("ATTACH ? AS elsewhere", [elsewhere.file()]);
		locker.run("BEGIN IMMEDIATE");
		await expectUnavailable([
			add("a"),
			store.write(rule(() => store.sqlite.run("INSERT INTO elsewhere.spa VALUES (1)"))),
			add("c"),
		]);
		locker.close();
		expect(store.sqlite.inTransaction).toBe(false);
		await add("d");
		expect(agentIds(store)).toEqual(["d"]);
	});
});
