import { expect, test } from "bun:test";
import { seededRandom } from "../../../src/core/lib/random.ts";
import { shorten } from "../../../src/features/pages/pages/shorten-texts.ts";

test.each([
	["", ""],
	["a".repeat(19), "a".repeat(19)],
	["a".repeat(20), "a".repeat(20)],
	["a".repeat(21), `${"a".repeat(17)}…`],
	["a".repeat(1_000), `${"a".repeat(17)}…`],
	["é".repeat(10), "é".repeat(10)],
	["é".repeat(11), `${"é".repeat(8)}…`],
	["永".repeat(7), `${"永".repeat(5)}…`],
	["🌴".repeat(5), "🌴".repeat(5)],
	["🌴".repeat(6), `${"🌴".repeat(4)}…`],
	// Several code points that are one letter to a reader.
	["e\u0301".repeat(7), `${"e\u0301".repeat(5)}…`],
	["🇫🇮🇳🇴🇸🇪", "🇫🇮🇳🇴…"],
	["a👩🏽‍🚀b👩🏽‍🚀", "a👩🏽‍🚀b…"],
	["\r\n".repeat(11), "…"],
	// No space before the dots.
	["sixteen letters. and more", "sixteen letters.…"],
	["fourteen words    and more", "fourteen words…"],
	// One letter that is too long alone is cut between code points.
	[`a${"\u0301".repeat(50)}`, `a${"\u0301".repeat(8)}…`],
	["👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "👨\u200d👩\u200d…"],
])("the text %j for 20 bytes is %j", (text, expected) => {
	expect(shorten(text, 20)).toBe(expected);
});

test("any text is shorten to a part of it that is well-formed", () => {
	const joined = "a| |é|永|🌴|👩🏽‍🚀|\u0301|🇫🇮|\u200d|\ufe0f";
	const letters = joined.split("|");
	const draw = seededRandom(7).below;
	for (let round = 0; round < 2_000; round++) {
		const length = draw(60);
		const letter = () => letters[draw(letters.length)];
		const text = Array.from({ length }, letter).join("");
		const most = 7 + draw(60);
		const short = shorten(text, most);
		expect(Buffer.byteLength(short)).toBeLessThanOrEqual(most);
		expect(short.isWellFormed()).toBe(true);
		if (short === text) continue;
		expect(Buffer.byteLength(text)).toBeGreaterThan(most);
		expect(short).toEndWith("…");
		expect(text.startsWith(short.slice(0, -1))).toBe(true);
	}
});
