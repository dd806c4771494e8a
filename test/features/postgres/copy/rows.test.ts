import { expect, test } from "bun:test";
import { type CopiedTable, eachRow } from "../../../../src/features/postgres/copy.ts";

function tableWith(type: string): CopiedTable {
	return { name: "guests", columns: [{ name: "cell", type }], key: ["cell"] };
}

/** Summarizes a table with one column, which returns its rows in these parts. */
function summarize(type: string, parts: readonly (readonly unknown[])[]) {
	const left = [...parts];
	const query = async () => (left.shift() ?? []).map((cell) => ({ cell }));
	return eachRow(tableWith(type), { query });
}

test.each<[string, unknown, string]>([
	["integer", 2 ** 53, "not a whole number"],
	["integer", -(2 ** 53), "not a whole number"],
	["integer", 0.5, "not a whole number"],
	["integer", undefined, "not a whole number"],
	["text", "hunter2\0", "not text without NUL"],
	["text", new Uint8Array(1), "not text"],
	["blob", "hunter2", "not a sequence of bytes"],
])("refuses to copy %s %p, and names the column but not the value", async (type, cell, told) => {
	const summary = summarize(type, [[cell]]);
	await expect(summary).rejects.toThrow(told);
	await expect(summary).rejects.toThrow("table guests cannot be copied: column cell");
	await expect(summary).rejects.not.toThrow("hunter2");
});

test.each([
	["another order", ["b", "a", "c"]],
	["a missing row", ["a", "b"]],
	["a row more", ["a", "b", "c", ""]],
	["cells that are divided in another way", ["a", "bc"]],
])("the hash of a table shows %s, and not how many rows are read at a time", async (_, rows) => {
	const summary = await summarize("text", [["a", "b", "c"]]);
	expect(summary.rows).toBe(3);
	expect(await summarize("text", [["a"], ["b", "c"]])).toEqual(summary);
	expect((await summarize("text", [rows])).sha256).not.toBe(summary.sha256);
});
