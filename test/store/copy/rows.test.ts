import { expect, test } from "bun:test";
import type { Cell, CopiedTable } from "../../../src/store/copy/copied-tables.ts";
import { eachRow, toJson } from "../../../src/store/copy/copy-database.ts";

function tableWith(type: string): CopiedTable {
	return {
		name: "guests",
		columns: [{ name: "cell", type }],
		key: ["cell"],
		counter: null,
	};
}

test.each<[string, unknown, string]>([
	["integer", 2 ** 53, "not a whole number"],
	["integer", -(2 ** 53), "not a whole number"],
	["integer", 0.5, "not a whole number"],
	["integer", undefined, "not a whole number"],
	["text", "hunter2\0", "not text without NUL"],
	["text", new Uint8Array(1), "not text"],
	["blob", "hunter2", "not a sequence of bytes"],
])("%s %p is not copied", (type, cell, told) => {
	const write = () => toJson(tableWith(type), [{ cell: cell as Cell }]);
	expect(write).toThrow(told);
	expect(write).toThrow("table guests cannot be copied: column cell");
	expect(write).not.toThrow("hunter2");
});

test.each([
	["another order", ["b", "a", "c"]],
	["a missing row", ["a", "b"]],
	["a row more", ["a", "b", "c", ""]],
	["parted cells", ["a", "bc"]],
])("a summary shows %s, and not how many rows come at a time", async (_, rows) => {
	const summaryOf = (...parts: readonly string[][]) =>
		eachRow(tableWith("text"), {
			async *rows() {
				for (const part of parts) yield part.map((cell) => ({ cell }));
			},
		});
	const summary = await summaryOf(["a", "b", "c"]);
	const { sha256 } = summary;
	expect(summary.rows).toBe(3);
	expect(await summaryOf(["a"], ["b", "c"])).toEqual(summary);
	expect((await summaryOf(rows)).sha256).not.toBe(sha256);
});
