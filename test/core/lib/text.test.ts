import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { codePoints, isBlank, isHttpsUrl, withoutInvisible } from "../../../src/core/lib/text.ts";
import { invisible, visible } from "../../support/invisible-texts.ts";

test("codePoints counts a surrogate pair as one character", () => {
	const text = "\ud7ff\ue000\uffff\u{10000}\u{10ffff}";
	expect(codePoints(text)).toBe([...text].length);
});

/** Returns a row for `test.each` that begins with the text in which invisible characters are escaped. */
const rowOf = (text: string, shown = text) =>
	[text.replace(/\p{DI}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`), text, shown] as const;

describe("withoutInvisible", () => {
	test.each(visible.map((text) => rowOf(text)))('returns "%s" unchanged', (_, text) => {
		expect(withoutInvisible(text)).toBe(text);
		expect(isBlank(text)).toBe(false);
	});

	test.each(invisible.map((one) => rowOf(...one)))('removes invisible parts of "%s"', (_, text, shown) => {
		expect(withoutInvisible(text)).toBe(shown);
	});

	test("removes the same characters from a JSON text as from its strings, and a second call removes none", () => {
		const parts = [...visible, ...invisible.map(([text]) => text)];
		const unit = fc.constantFrom(...parts, ...'"\\\n葛\u{1f3f4}\u{e007f}');
		fc.assert(
			fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
				const shown = withoutInvisible(text);
				const json = withoutInvisible(JSON.stringify([text, text]));
				expect(JSON.parse(json)).toEqual([shown, shown]);
				expect(withoutInvisible(shown)).toBe(shown);
			}),
		);
	});
});

const accepted = `https://a https://example.com https://example.com:8443/a.png?b=c#d https://192.0.2.1/a.png
	https://[2001:db8::1]/a.png https://bücher.example/🌴.png`;
const refused = String.raw`https: https:// https:///example.com https:/example.com https:example.com
	https:\\example.com https://\example.com https://#a https://:443 https://user@ https://[::1
	https://example.com:99999 http://example.com //example.com example.com
	javascript:alert(1)//https://example.com`;

test.each(accepted.split(/\s+/))("isHttpsUrl accepts %s", (text) => {
	expect(isHttpsUrl(text)).toBe(true);
});

test.each(["", "https://exa mple.com", " https://example.com", ...refused.split(/\s+/)])(
	"isHttpsUrl refuses %j",
	(text) => {
		expect(isHttpsUrl(text)).toBe(false);
	},
);
