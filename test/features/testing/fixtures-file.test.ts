import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemRandom } from "../../../src/core/lib/random.ts";
import { readFixtures } from "../../../src/features/testing/fixtures/read-fixtures.ts";
import { useTemporaryFolder } from "../../support/folder.ts";

const NOW_MS = Date.UTC(2026, 2, 10);
const file = join(useTemporaryFolder().path, "fixtures.json");

async function rowsOf(text: string) {
	await Bun.write(file, text);
	return readFixtures(file, systemRandom)(NOW_MS);
}

describe("an invalid fixtures file", () => {
	test.each([
		['{"a": 1,}', 1, 8],
		['{"a": [\r\n\t1, 2,\r\n]}', 2, 6],
		['{"a": 1 "b": 2}', 1, 7],
		['{"a" 1}', 1, 4],
		["{'a': 1}", 1, 1],
		['{"a": tru}', 1, 5],
		['{"a": 01}', 1, 7],
		['{"a": [1.5e3, -0, true, null], "b": {"x\\\\y\\"": false}}}', 1, 54],
		["[1}", 1, 2],
		["{,}", 1, 1],
		['{"a": "x\ny"}', 1, 5],
		['{"a": "\\q"}', 1, 5],
		["{} // comment", 1, 2],
		['["\\u00e9", "\\\\", "\u00e9"] x', 1, 21],
	])("%j is valid JSON up to line %d, column %d", async (text, line, column) => {
		expect(() => JSON.parse(text)).toThrow();
		await expect(rowsOf(text)).rejects.toThrow(`is not valid JSON after line ${line}, column ${column};`);
	});

	test.each(["", "\n  "])("%j is empty", async (text) => {
		await expect(rowsOf(text)).rejects.toThrow("is empty; resort example fixtures.json");
	});

	test("names the place of a bracket that is nested too deeply", async () => {
		await expect(rowsOf("[".repeat(1_000_000))).rejects.toThrow(/not valid JSON after line 1, column \d+;/);
	});
});

describe("a relative time in a fixtures file", () => {
	const agentsAt = (createdAt: string) => rowsOf(JSON.stringify({ agents: [{ name: "Ada", createdAt }] }));

	test.each([
		["0s", 0],
		["-0s", 0],
		["-1s", 1_000],
		["-50m", 3_000_000],
		["-1h30m", 5_400_000],
		["-2d", 172_800_000],
		["-1d1h1m1s", 90_061_000],
		["-90m", 5_400_000],
	])("%s is before the start", async (createdAt, beforeMs) => {
		const { agents } = await agentsAt(createdAt);
		expect(agents.map(({ createdAt }) => NOW_MS - createdAt)).toEqual([beforeMs]);
	});

	test.each(["5m", "+1s"])("%s is refused because it is in the future", async (createdAt) => {
		await expect(agentsAt(createdAt)).rejects.toThrow("must not be later than now");
	});

	const tooLong = ["-12345678d", "-12345678h", "-12345678m", "-1234567890s"];
	test.each(["-", "+", "0", "-5", "1.5h", "-1m1h", "-1h-30m", "- 1h", "1w", "-1H", ...tooLong])(
		"%j is refused",
		async (createdAt) => {
			await expect(agentsAt(createdAt)).rejects.toThrow("must be a UTC time such as");
		},
	);
});
