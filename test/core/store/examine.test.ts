import { expect, test } from "bun:test";
import { statfsSync, statSync } from "node:fs";
import { examineFile } from "../../../src/core/store/sqlite/examine-file.ts";
import { usedBytes } from "../../../src/core/store/sqlite/open-database.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";

const folder = useFreshFolder();

test("a new database in memory has the size 0 and no events", async () => {
	const store = openStore(":memory:");
	expect(await store.metrics?.[0]?.read()).toEqual({ main: 0, wal: 0 });
	const watermarks = store.read(() => store.eventWatermarks());
	expect(watermarks).toEqual({ final: 0, newest: 0 });
	expect(store.isShared).toBe(false);
	expect(await examineFile(":memory:", 0)).toMatchObject([{ level: "ok" }]);
	await store.close();
});

test("usedBytes does not count free pages, and the measurement of the disk counts the whole disk", async () => {
	const store = openStore(folder.file());
	const { sqlite } = store;
	// After the migrations, the pages of dropped indexes are free.
	sqlite.run("VACUUM");
	sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
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
