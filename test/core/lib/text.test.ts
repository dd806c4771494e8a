import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
	codePoints,
	isBlank,
	isHttpsUrl,
	isStorable,
	wholeNumber,
	withoutInvisible,
} from "../../../src/core/lib/text.ts";
import { blankNames, invisible, visible } from "../../support/invisible-texts.ts";

describe("codePoints", () => {
	test.each([
		["ne\u0301", 3],
		["🌴", 1],
		["👩‍🚀", 3],
		["\u{10000}\u{10ffff}", 2],
		["\ud7ff\ue000\uffff", 3],
		["🌴".repeat(100), 100],
	])("%j: %d", (text, count) => {
		expect(codePoints(text)).toBe(count);
	});

	test("counts what iterating over the string counts", () => {
		fc.assert(
			fc.property(
				fc.string({ unit: "binary", maxLength: 60 }),
				(text) => codePoints(text) === [...text].length,
			),
		);
	});
});

describe("isStorable", () => {
	test.each([
		["", true],
		["🌴", true],
		["\n\t\u007f\u0001", true],
		["\0", false],
		["a\0b", false],
		["\ud83c", false],
		["\udf34\ud83c", false],
	])("%j: %p", (text, storable) => {
		expect(isStorable(text)).toBe(storable);
	});

	test("what is storable comes back from UTF-8 unchanged", () => {
		const unit = fc.constantFrom("a", "\ud83c", "\udf34", "🌴", "é");
		fc.assert(
			fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
				const back = Buffer.from(text, "utf8").toString("utf8");
				return isStorable(text) === (back === text);
			}),
			{ numRuns: 500 },
		);
	});
});

describe("withoutInvisible", () => {
	test.each(visible)("leaves %j as it is", (text) => {
		expect(withoutInvisible(text)).toBe(text);
		expect(isBlank(text)).toBe(false);
	});

	test.each(invisible)("%j becomes %j", (text, shown) => {
		expect(withoutInvisible(text)).toBe(shown);
	});

	test("removes the same from JSON as from its texts, and nothing more the second time", () => {
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

test.each(blankNames)("%j shows nothing", (name) => {
	expect(isBlank(name)).toBe(true);
});

describe("isHttpsUrl", () => {
	test.each([
		"https://example.com",
		"https://example.com/",
		"https://example.com:8443/a.png?b=c#d",
		"https://192.0.2.1/a.png",
		"https://[2001:db8::1]/a.png",
		"https://bücher.example/🌴.png",
		"https://EXAMPLE.com/A.PNG",
		"https://a",
	])("takes %s", (text) => {
		expect(isHttpsUrl(text)).toBe(true);
	});

	test.each([
		"",
		"https:",
		"https://",
		"https:///",
		"https:///example.com",
		"https:/example.com",
		"https:example.com",
		"https//example.com",
		"https:\\\\example.com",
		"https://\\example.com",
		"https://?a",
		"https://#a",
		"https://:443",
		"https://user@",
		"https://exa mple.com",
		"https://[::1",
		"https://example.com:99999",
		"http://example.com",
		"httpss://example.com",
		"ftp://example.com",
		"//example.com",
		"example.com",
		" https://example.com",
		"javascript:alert(1)//https://example.com",
		"data:text/html,https://example.com",
		"see https://example.com",
	])("refuses %j", (text) => {
		expect(isHttpsUrl(text)).toBe(false);
	});
});

test.each([
	["0", 0],
	["9", 9],
	["10", undefined],
	["0000000009", 9],
	["00000000009", undefined],
	...["", "-1", "1.5", "1e0", " 1"].map((text) => [text, undefined] as const),
])("%j is the whole number %p, at most 9", (text, number) => {
	expect(wholeNumber(text, 9)).toBe(number);
	expect(wholeNumber(text, 9, 9)).toBe(number === 9 ? 9 : undefined);
});
