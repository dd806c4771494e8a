import { expect, test } from "bun:test";
import { checkSize } from "../../../src/core/store/check.ts";
import { boundsOf, inMebibytes, MEBIBYTE } from "../../../src/core/store/space.ts";

test("warns of a nearly full database from 90 % of its maximum, and of a full one from its maximum", () => {
	const [fits, nearly, still, full, over] = [899, 900, 999, 1_000, 1_001].map((used) =>
		checkSize("r.sqlite", used, 1_000),
	);
	expect(fits?.level).toBe("ok");
	expect(nearly?.level).toBe("warn");
	expect(still).toEqual(nearly);
	expect(full?.level).toBe("warn");
	expect(full).not.toEqual(nearly);
	expect(over).toEqual(full);
	expect(checkSize("r.sqlite", 1, 0).level).toBe("ok");
});

test("limits a database by its maximum and by the reserve of its disk", () => {
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
	expect([1_048_575, 1_048_576].map(inMebibytes)).toEqual(["0 MiB", "1 MiB"]);
});
