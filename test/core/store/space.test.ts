import { expect, test } from "bun:test";
import { statfsSync, statSync } from "node:fs";
import { checkSize } from "../../../src/core/store/check.ts";
import { boundsOf, formatBytes, MEBIBYTE } from "../../../src/core/store/space.ts";
import { usedBytes } from "../../../src/core/store/sqlite/open-database.ts";
import { useStore } from "./use-store.ts";

const { folder, store } = useStore();

test("usedBytes does not count free pages, and measureSpace returns the size of the whole disk", async () => {
	const { sqlite } = store;
	// VACUUM removes the pages that became free when migrations dropped indexes.
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
});

test("checkSize gives a warning when a database reaches its maximum size", () => {
	const levels = [999, 1_000].map((used) => checkSize("r.sqlite", used, 1_000).level);
	expect(levels).toEqual(["ok", "warn"]);
});

test("boundsOf returns the maximum size of a database, and the space to keep free on its disk", () => {
	const fileSystem = { freeBytes: 300, totalBytes: 2_019 };
	expect(boundsOf({ usedBytes: 7, fileSystem }, 10)).toEqual([
		{ name: "max-database", bytes: 10, leftBytes: 3 },
		{ name: "reserve", bytes: 100, leftBytes: 200 },
	]);
	const large = { freeBytes: 0, totalBytes: 1e12 };
	expect(boundsOf({ usedBytes: 1, fileSystem: large }, 0)).toEqual([
		{ name: "reserve", bytes: 256 * 1024 ** 2, leftBytes: -256 * 1024 ** 2 },
	]);
	expect(boundsOf({ usedBytes: 7, fileSystem: null }, 1)).toEqual([
		{ name: "max-database", bytes: 1, leftBytes: -6 },
	]);
	expect(MEBIBYTE).toBe(1_048_576);
	const sizes = [0, 1023, 1_048_575, 1_048_576, 10_433_332, 57_503 * MEBIBYTE, 2 ** 60];
	expect(sizes.map(formatBytes)).toEqual([
		"0 KiB",
		"0.9 KiB",
		"1023 KiB",
		"1 MiB",
		"9.9 MiB",
		"56 GiB",
		"1048576 TiB",
	]);
});
