import { expect, test } from "bun:test";
import { jsonFault } from "../../../src/core/lib/json-fault.ts";

test.each([
	["", 1, 0],
	["\n  ", 1, 0],
	["{", 1, 1],
	['{"a": 1,}', 1, 8],
	['{"a": [\r\n\t1, 2,\r\n]}', 2, 6],
	['{"a": 1 "b": 2}', 1, 7],
	['{"a" 1}', 1, 4],
	["{a: 1}", 1, 1],
	["{'a': 1}", 1, 1],
	['{"a": tru}', 1, 5],
	['{"a": 01}', 1, 7],
	['{"a": +1}', 1, 5],
	['{"a": NaN}', 1, 5],
	['{"a": 1}}', 1, 8],
	['{"a": {"b": 1}, 2}', 1, 15],
	['[{}, {"a"}]', 1, 9],
	["[1, 2", 1, 5],
	["[1}", 1, 2],
	["[,1]", 1, 1],
	["{,}", 1, 1],
	['{"a": "x\ny"}', 1, 5],
	['{"a": "\\q"}', 1, 5],
	["{} // comment", 1, 2],
	["/* comment */ {}", 1, 0],
	["{\u00a0}", 1, 1],
	['["\\u00e9", "\\\\", "\u00e9"] x', 1, 21],
])("%j is valid JSON up to line %d, column %d", (text, line, column) => {
	expect(() => JSON.parse(text)).toThrow();
	expect(jsonFault(text)).toBe(`line ${line}, column ${column}`);
});

test("names a place in brackets that are nested too deeply", () => {
	expect(jsonFault("[".repeat(1_000_000))).toMatch(/^line 1, column \d+$/);
});

test("reads a valid text to its end", () => {
	const value = { a: [1.5e3, -0, true, { b: 'x\\y"\n' }, []], c: null, d: {} };
	for (const indent of [0, 2]) {
		const lines = JSON.stringify(value, null, indent).split("\n");
		const last = lines.at(-1) ?? "";
		const end = `line ${lines.length}, column ${last.length}`;
		expect(jsonFault(lines.join("\n"))).toBe(end);
	}
});
