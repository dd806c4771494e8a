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

/** Writes a text as content and as an attribute of an element, and returns both as a parser reads them. */
const readBack = (text: string) => {
	const inner = xml`<b c="${text}">${text}</b>`;
	const { children } = parseXml(xml`<a>${inner}</a>`.markup);
	return [children[0]?.text, children[0]?.attributes.c];
};

test("a parser reads back any text that `xml` has escaped, without the characters that XML forbids", () => {
	const bounds = chars.flat().flatMap((code) => [code - 1, code, code + 1]);
	const characters = bounds.filter((code) => code <= 0x10ffff).map((code) => String.fromCodePoint(code));
	// Draws more often: markup, characters that a parser changes, and characters at the bounds of what XML
	// allows.
	const telling = fc.constantFrom(..."&<>\"'\t\n\r ]\0", "]]>", "&#", ...characters);
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
