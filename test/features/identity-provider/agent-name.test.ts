import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { codePoints, isStorable } from "../../../src/core/lib/text.ts";
import { toAgentName } from "../../../src/features/identity-provider/identity-provider.ts";

// The name for the subject `user-1`. It ends with the first 8 digits of `printf %s user-1 | sha256sum`.
const GUEST = "Guest c6c289e4";

describe("toAgentName", () => {
	test.each([
		["keeps a usual username", "Coral", "Coral"],
		["keeps two emoji", "🌴🌴", "🌴🌴"],
		["trims a name, and turns white space inside it into one space", "  Coral \t\r\n Reef  ", "Coral Reef"],
		["treats Unicode spaces like other white space", "Coral\u00a0\u2003Reef\u3000", "Coral Reef"],
		["removes control characters", "Co\0ral\u0007\u007f\u0085", "Coral"],
		["reduces two spaces around a control character to one", "Coral \u0000 Reef", "Coral Reef"],
		["removes lone surrogates", "\ud83cCoral\udf34", "Coral"],
		["removes a surrogate pair that a control character splits", "C\ud83c\0\udf34o", "Co"],
		["keeps 100 characters, the maximum", "x".repeat(100), "x".repeat(100)],
		["shortens 101 characters to the maximum of 100", "x".repeat(101), "x".repeat(100)],
		["shortens 101 emoji to 100", "🌴".repeat(101), "🌴".repeat(100)],
		["trims a name that it has shortened", `${"x".repeat(99)} y`, "x".repeat(99)],
		["keeps HTML tags", "<b>Coral</b>", "<b>Coral</b>"],
	])("%s", (_, username, name) => {
		expect(toAgentName(username, "user-1")).toBe(name);
	});

	test.each([null, "", "a", "🌴", "  ", " a ", "\0\n", "a\0", "\ud83c\ud83c"])(
		"replaces the unusable username %j by a name that is derived from the subject",
		(username) => {
			expect(toAgentName(username, "user-1")).toBe(GUEST);
			expect(toAgentName(username, "user-2")).not.toBe(GUEST);
		},
	);

	test("turns every username into a valid, trimmed name", () => {
		const unit = fc.oneof(
			fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
			fc.constantFrom(" ", "\t", "\0", "\ud83c", "\udf34", "\u200b", "\ufeff"),
		);
		fc.assert(
			fc.property(fc.string({ unit, maxLength: 250 }), (username) => {
				const name = toAgentName(username, "user-1");
				expect(codePoints(name)).toBeWithin(2, 101);
				expect(name).toBe(name.trim());
				expect(isStorable(name)).toBe(true);
				expect(name).not.toMatch(/\p{Cc}|\s\s/u);
			}),
		);
	});
});
