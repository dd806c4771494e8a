import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyFileSync, rmSync } from "node:fs";
import { StartError } from "../../../src/core/lib/start-error.ts";
import { publish } from "../../../src/core/resort/events/publish.ts";
import { nameLog, requireOwnLog } from "../../../src/core/store/sqlite/log-owner.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";
import { thrownBy } from "../../support/values.ts";
import { insertAgent } from "./rows.ts";

const folder = useFreshFolder();

const FORGET_NAMES = "DELETE FROM sqlite_sequence WHERE name = 'log'";

/** Copies a database and its log as a crash leaves them. */
function copyBoth(from: string, to: string, log = from): void {
	copyFileSync(from, to);
	copyFileSync(`${log}-wal`, `${to}-wal`);
	rmSync(`${to}-shm`, { force: true });
}

/** Calls a function with a database that calls `onStep` after each of its statements. */
function stepping(sqlite: Database, onStep: () => void, run: (sqlite: Database) => void): void {
	const methods = new Set<unknown>(["run", "prepare", "query"]);
	const watched = new Proxy(sqlite, {
		get(target, name) {
			const method = Reflect.get(target, name);
			if (!methods.has(name)) return method;
			return (...args: unknown[]) => {
				onStep();
				return method.apply(target, args);
			};
		},
	});
	run(watched);
	onStep();
}

test("a log is accepted after a crash at each step of several starts, also in the middle of a checkpoint", async () => {
	const file = folder.file();
	let crashes = 0;
	for (let start = 0; start < 6; start++) {
		const store = openStore(file);
		insertAgent(store, `${start}`);
		const { sqlite } = store;
		copyBoth(file, folder.file("last"));
		const check = () => {
			copyBoth(file, folder.file("crash"));
			requireOwnLog(folder.file("crash"));
			// A checkpoint writes the file before it empties the log.
			copyBoth(file, folder.file("crash"), folder.file("last"));
			requireOwnLog(folder.file("crash"));
			copyBoth(file, folder.file("last"));
			crashes++;
		};
		for (let name = 0; name < 3; name++) {
			stepping(sqlite, check, nameLog);
			if (name === 1) sqlite.run("PRAGMA wal_checkpoint(PASSIVE)");
			insertAgent(store, `${start} ${name}`);
			check();
		}
		copyBoth(file, folder.file("next"));
		await store.close();
		copyBoth(folder.file("next"), file);
	}
	expect(crashes).toBeGreaterThan(100);
});

test("a log keeps the name of the file while another program reads an older state", async () => {
	await openStore(folder.file()).close();
	using reader = new Database(folder.file(), { readonly: true });
	reader.run("BEGIN; SELECT count(*) FROM agents");
	const store = openStore(folder.file());
	insertAgent(store, "a");
	nameLog(store.sqlite);
	insertAgent(store, "b");
	nameLog(store.sqlite);
	copyBoth(folder.file(), folder.file("crash"));
	expect(() => requireOwnLog(folder.file("crash"))).not.toThrow();
	reader.run("COMMIT");
	await store.close();
});

test.each([
	["of an unnamed database", (sqlite: Database) => sqlite.run(FORGET_NAMES)],
	["without the names", () => {}],
])("a log %s, such as that of version 1.0, is accepted", async (_, prepare) => {
	await openStore(folder.file()).close();
	const sqlite = new Database(folder.file());
	prepare(sqlite);
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite.run("CREATE TABLE later (a)");
	copyBoth(folder.file(), folder.file("crash"));
	sqlite.close();
	expect(() => requireOwnLog(folder.file("crash"))).not.toThrow();
});

test("a log that SQLite has started again is refused next to the file of an earlier start", async () => {
	await openStore(folder.file()).close();
	copyFileSync(folder.file(), folder.file("earlier"));
	const store = openStore(folder.file());
	store.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
	await store.write(() => publish(store, { type: "agent.gone", at: 0, agentId: "a" }));
	copyBoth(folder.file("earlier"), folder.file("mixed"), folder.file());
	await store.close();
	expect(thrownBy(() => requireOwnLog(folder.file("mixed")))).toBeInstanceOf(StartError);
});
