import { expect, test } from "bun:test";
import { xml } from "../../../src/features/pages/html.ts";
import { parseXml } from "./support/xml.ts";

/** The ranges of characters that XML 1.0 allows (section 2.2, the production Char). */
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

/** Markup, characters that a parser changes, and the characters at the bounds of what XML allows. */
const telling = [
	..."&<>\"'\t\n\r ]\0",
	"]]>",
	"&#",
	...chars
		.flat()
		.flatMap((code) => [code - 1, code, code + 1])
		.filter((code) => code <= 0x10ffff)
		.map((code) => String.fromCodePoint(code)),
];

test("texts escaped by `xml` are unchanged after parsing, except that characters forbidden in XML are missing", () => {
	for (const first of telling) {
		const written = telling.map((second) => `${first}${second}x`).join("");
		const inner = xml`<b c="${written}">${written}</b>`;
		const [read] = parseXml(xml`<a>${inner}</a>`.markup).children;
		const kept = allowed(written);
		expect([read?.text, read?.attributes.c]).toEqual([kept, kept]);
	}
});
