import { expect, test } from "bun:test";
import fc from "fast-check";
import { xml } from "../../../src/features/pages/html.ts";
import { parseXml } from "./support/xml.ts";

/** XML 1.0, 2.2: the production Char. */
const chars: readonly (readonly [from: number, to: number])[] = [
	[0x9, 0xa],
	[0xd, 0xd],
	[0x20, 0xd7ff],
	[0xe000, 0xfffd],
	[0x10000, 0x10ffff],
];

const allowed = (text: string) =>
	[...text]
		.filter((character) => {
			const code = character.codePointAt(0) ?? 0;
			return chars.some(([from, to]) => code >= from && code <= to);
		})
		.join("");

/** Returns what a parser reads for a text, as content and in an attribute. */
const readBack = (text: string) => {
	const inner = xml`<b c="${text}">${text}</b>`;
	const { children } = parseXml(xml`<a>${inner}</a>`.markup);
	return [children[0]?.text, children[0]?.attributes.c];
};

test.each(chars.flat().flatMap((code) => [code - 1, code, code + 1]))(
	"code point %d is written if XML 1.0 allows it",
	(code) => {
		if (code > 0x10ffff) return;
		const text = `a${String.fromCodePoint(code)}z`;
		expect(readBack(text)).toEqual([allowed(text), allowed(text)]);
	},
);

test("a parser reads any text without the characters that XML forbids", () => {
	// Draws markup, and characters that a parser changes, more often than others.
	const telling = fc.constantFrom(..."&<>\"'\t\n\r ]\0\ufffe\ud800", "]]>", "&#");
	const unit = fc.oneof(telling, fc.string({ unit: "binary", maxLength: 3 }));
	const text = fc.array(unit).map((parts) => parts.join(""));
	fc.assert(
		fc.property(text, (written) => {
			const kept = allowed(written);
			expect(readBack(written)).toEqual([kept, kept]);
		}),
		{ numRuns: 2_000 },
	);
});
