import { expect, test } from "bun:test";
import { statfsSync, statSync } from "node:fs";
import { usedBytes } from "../../../src/core/store/sqlite/open-database.ts";
import { openStore } from "../../../src/core/store/sqlite/sqlite-store.ts";
import { useFreshFolder } from "../../support/folder.ts";

const folder = useFreshFolder();

test("usedBytes does not count free pages, and measureSpace returns the size of the whole disk", async () => {
	const store = openStore(folder.file());
	const { sqlite } = store;
	// VACUUM removes the free pages that dropped indexes have left in the migrations.
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
