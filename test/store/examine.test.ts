import { expect, test } from "bun:test";
import { statfsSync, statSync } from "node:fs";
import { examineFile } from "../../src/store/sqlite/examine-file.ts";
import { usedBytes } from "../../src/store/sqlite/file-space.ts";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../support/program-folder.ts";

const folder = useFreshFolder();

function examine(path: string): string[] {
	return examineFile(path, 0)
		.filter(({ name }) => name !== "free disk" && name !== "file system")
		.map(({ level, name, what }) => `${level} ${name}: ${what}`);
}

test("a database without agents is sound", async () => {
	expect(examine(":memory:")).toEqual(["ok database: in memory, not kept"]);
	await openStore(folder.file()).close();
	expect(examine(folder.file())).toEqual([
		`ok database: ${folder.file()}`,
		"ok integrity: no damage",
		"ok foreign keys: all references are valid",
		`ok schema version: ${migrations.length}`,
		"ok database size: 0 MiB, no --max-database",
		"ok newest entry: none yet",
		"ok webhooks: none is failing",
		"ok served: by no process",
	]);
});

test("a database in memory has no file", async () => {
	const store = openStore(":memory:");
	expect(await store.metrics?.[0]?.read()).toEqual({ main: 0, wal: 0 });
	const watermarks = store.read(() => store.eventWatermarks());
	expect(watermarks).toEqual({ final: 0, newest: 0 });
	expect([store.isShared, store.isAlone]).toEqual([false, false]);
	await store.close();
});

test("free pages of a file are not in use, and a disk has all of its blocks", async () => {
	const store = openStore(folder.file());
	const { sqlite } = store;
	const before = usedBytes(sqlite);
	expect(before).toBe(statSync(folder.file()).size);
	sqlite.run("INSERT INTO nonces VALUES (hex(zeroblob(100000)), 1)");
	expect(usedBytes(sqlite)).toBeGreaterThan(before + 200_000);
	sqlite.run("DELETE FROM nonces");
	expect(usedBytes(sqlite)).toBe(before);
	const { fileSystem } = await store.measureSpace();
	const { blocks, bsize } = statfsSync(folder.path);
	expect(fileSystem?.totalBytes).toBe(blocks * bsize);
	await store.close();
});
