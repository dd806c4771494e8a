import { expect, test } from "bun:test";
import { shorten } from "../../../src/features/pages/pages/home-page.ts";

test.each([
	["", ""],
	["a".repeat(20), "a".repeat(20)],
	["a".repeat(21), `${"a".repeat(17)}…`],
	["é".repeat(10), "é".repeat(10)],
	["é".repeat(11), `${"é".repeat(8)}…`],
	["永".repeat(7), `${"永".repeat(5)}…`],
	["🌴".repeat(5), "🌴".repeat(5)],
	["🌴".repeat(6), `${"🌴".repeat(4)}…`],
	["fourteen words    and more", "fourteen words…"],
	[`\ufeff${"a".repeat(18)}`, `\ufeff${"a".repeat(14)}…`],
])("shorten shortens %j to at most 20 bytes: %j", (text, expected) => {
	expect(shorten(text, 20)).toBe(expected);
});
