import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { codePoints, isBlank, isHttpsUrl, withoutInvisible } from "../../../src/core/lib/text.ts";
import { invisible, visible } from "../../support/invisible-texts.ts";

test("codePoints counts the characters that an iteration over the string returns", () => {
	const text = "\ud7ff\ue000\uffff\u{10000}\u{10ffff}";
	expect(codePoints(text)).toBe([...text].length);
});

describe("withoutInvisible", () => {
	test.each(visible)("returns %j unchanged", (text) => {
		expect(withoutInvisible(text)).toBe(text);
		expect(isBlank(text)).toBe(false);
	});

	test.each(invisible)("removes the invisible characters of %j", (text, shown) => {
		expect(withoutInvisible(text)).toBe(shown);
	});

	test("removes the same characters from JSON as from the strings in it, and none at a second call", () => {
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
