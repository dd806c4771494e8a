import { expect, test } from "bun:test";
import { checkSize } from "../../../src/core/store/check.ts";
import { boundsOf, formatBytes, MEBIBYTE } from "../../../src/core/store/space.ts";

test("a database is full when it reaches its maximum size", () => {
	const levels = [999, 1_000].map((used) => checkSize("r.sqlite", used, 1_000).level);
	expect(levels).toEqual(["ok", "warn"]);
});

test("the bounds of a database are its maximum size and the reserve of its disk", () => {
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
