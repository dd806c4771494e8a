import { describe, expect, test } from "bun:test";
import type {
	Cell,
	CopiedTable,
} from "../../../src/store/copy/copied-tables.ts";
import { eachRow, toJson } from "../../../src/store/copy/copy-database.ts";

function tableWith(type: string): CopiedTable {
	return {
		name: "guests",
		columns: [{ name: "cell", type }],
		key: ["cell"],
		counter: null,
	};
}

describe("rows are written as JSON", () => {
	test.each<[string, Cell, string]>([
		["integer", 2 ** 53 - 1, "9007199254740991"],
		["integer", -(2 ** 53 - 1), "-9007199254740991"],
		["integer", null, "null"],
		["text", "", '""'],
		["text", "\\u0000", '"\\\\u0000"'],
		["text", "\u{1}🌴", '"\\u0001🌴"'],
		["text", null, "null"],
		["blob", new Uint8Array([0, 255, 92]), '"\\\\x00ff5c"'],
		["blob", new Uint8Array(), '"\\\\x"'],
		["blob", null, "null"],
	])("%s %p", (type, cell, json) => {
		expect(toJson(tableWith(type), [{ cell }])).toBe(`[{"cell":${json}}]`);
	});

	test.each<[string, unknown, string]>([
		["integer", 2 ** 53, "not a whole number"],
		["integer", -(2 ** 53), "not a whole number"],
		["integer", 0.5, "not a whole number"],
		["integer", "1", "not a whole number"],
		["integer", undefined, "not a whole number"],
		["text", "hunter2\0", "not a text without NUL"],
		["text", 1, "not a text"],
		["text", new Uint8Array(1), "not a text"],
		["blob", "hunter2", "not a sequence of bytes"],
		["blob", 1, "not a sequence of bytes"],
	])("but not %s %p", (type, cell, told) => {
		const write = () => toJson(tableWith(type), [{ cell: cell as Cell }]);
		expect(write).toThrow(told);
		expect(write).toThrow("table guests cannot be copied: column cell");
		expect(write).not.toThrow("hunter2");
	});
});

describe("a summary", () => {
	const summaryOf = (...parts: readonly string[][]) =>
		eachRow(tableWith("text"), {
			async *rows() {
				for (const part of parts) yield part.map((cell) => ({ cell }));
			},
		});

	test("does not depend on how many rows come at a time", async () => {
		const all = await summaryOf(["a", "b", "c"]);
		expect(all.rows).toBe(3);
		expect(await summaryOf(["a"], ["b", "c"])).toEqual(all);
		expect(await summaryOf(["a", "b"], ["c"])).toEqual(all);
	});

	test.each([
		["another order", ["b", "a", "c"]],
		["another value", ["a", "b", "C"]],
		["a missing row", ["a", "b"]],
		["a row more", ["a", "b", "c", ""]],
		["parted cells", ["a", "bc"]],
	])("tells %s apart", async (_what, rows) => {
		const { sha256 } = await summaryOf(["a", "b", "c"]);
		expect((await summaryOf(rows)).sha256).not.toBe(sha256);
	});
});
