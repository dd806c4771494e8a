import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { statfsSync, statSync } from "node:fs";
import { examineFile } from "../../src/store/sqlite/examine-file.ts";
import { usedBytes } from "../../src/store/sqlite/file-space.ts";
import { migrations } from "../../src/store/sqlite/sqlite-migrations.ts";
import { openStore } from "../../src/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../support/program-folder.ts";
import { makeDatabaseOf } from "./older.ts";

const folder = useFreshFolder();

/** Checks a database: the level of each check, and what it says that no machine changes. */
function examine(path: string): string[] {
	return examineFile(path, 0).map(({ level, name, what }) =>
		["free disk", "file system"].includes(name)
			? name
			: `${level} ${name}: ${what}`,
	);
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
		"free disk",
		"file system",
		"ok served: by no process",
	]);
});

test("an older database is examined as far as its version is known", () => {
	makeDatabaseOf(migrations.length - 1, folder.file());
	const levels = () =>
		examineFile(folder.file(), 0).map(({ level, name }) => `${level} ${name}`);
	const checks = [
		"ok database",
		"ok integrity",
		"ok foreign keys",
		"warn schema version",
	];
	expect(levels().slice(0, -3)).toEqual(checks);
	using sqlite = new Database(folder.file());
	sqlite.run("CREATE TABLE more (a)");
	expect(levels().slice(0, -3)).toEqual([...checks, "fail schema"]);
});

test("the log of a store is told from its file, and one in memory has no file", async () => {
	const sizesOf = async (path: string) => {
		const store = openStore(path);
		const [size] = store.metrics ?? [];
		const sizes = await size?.read();
		const watermarks = store.read(() => store.eventWatermarks());
		expect(watermarks).toEqual({ final: 0, newest: 0 });
		expect([store.isShared, store.isAlone]).toEqual([false, false]);
		await store.close();
		return sizes;
	};
	expect(await sizesOf(":memory:")).toEqual({ main: 0, wal: 0 });
	expect(await sizesOf(folder.file())).not.toMatchObject({ main: 0 });
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
