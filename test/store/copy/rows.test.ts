import { describe, expect, test } from "bun:test";
import type {
	Cell,
	CopiedTable,
	Kind,
} from "../../../src/store/copy/copied-tables.ts";
import { TableSummary, toJson } from "../../../src/store/copy/copy-database.ts";

function tableWith(kind: Kind): CopiedTable {
	return {
		name: "guests",
		columns: [{ name: "cell", kind }],
		key: ["cell"],
		counter: null,
	};
}

describe("rows are written as JSON", () => {
	test.each<[Kind, Cell, string]>([
		["integer", 2 ** 53 - 1, "9007199254740991"],
		["integer", -(2 ** 53 - 1), "-9007199254740991"],
		["integer", null, "null"],
		["text", "", '""'],
		["text", "\\u0000", '"\\\\u0000"'],
		["text", "\u{1}🌴", '"\\u0001🌴"'],
		["text", null, "null"],
		["bytes", new Uint8Array([0, 255, 92]), '"\\\\x00ff5c"'],
		["bytes", new Uint8Array(), '"\\\\x"'],
		["bytes", null, "null"],
	])("%s %p", (kind, cell, json) => {
		expect(toJson(tableWith(kind), [{ cell }])).toBe(`[{"cell":${json}}]`);
	});

	test.each<[Kind, unknown, string]>([
		["integer", 2 ** 53, "no whole number"],
		["integer", -(2 ** 53), "no whole number"],
		["integer", 0.5, "no whole number"],
		["integer", "1", "no whole number"],
		["integer", undefined, "no whole number"],
		["text", "hunter2\0", "no text without NUL"],
		["text", 1, "no text"],
		["text", new Uint8Array(1), "no text"],
		["bytes", "hunter2", "no bytes"],
		["bytes", 1, "no bytes"],
	])("but not %s %p", (kind, cell, told) => {
		const write = () => toJson(tableWith(kind), [{ cell: cell as Cell }]);
		expect(write).toThrow(told);
		expect(write).toThrow("table guests cannot be copied: column cell");
		expect(write).not.toThrow("hunter2");
	});
});

describe("a summary", () => {
	function summaryOf(...parts: readonly string[][]) {
		const summing = new TableSummary();
		for (const part of parts) {
			const rows = part.map((cell) => ({ cell }));
			summing.add(rows.length, toJson(tableWith("text"), rows));
		}
		return summing.end();
	}

	test("does not depend on how many rows come at a time", () => {
		const all = summaryOf(["a", "b", "c"]);
		expect(all.rows).toBe(3);
		expect(summaryOf(["a"], ["b", "c"])).toEqual(all);
		expect(summaryOf(["a", "b"], ["c"])).toEqual(all);
	});

	test.each([
		["another order", ["b", "a", "c"]],
		["another value", ["a", "b", "C"]],
		["a missing row", ["a", "b"]],
		["a row more", ["a", "b", "c", ""]],
		["parted cells", ["a", "bc"]],
	])("tells %s apart", (_what, rows) => {
		expect(summaryOf(rows).sha256).not.toBe(summaryOf(["a", "b", "c"]).sha256);
	});
});
