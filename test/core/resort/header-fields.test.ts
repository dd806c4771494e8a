import { expect, test } from "bun:test";
import { useGuest, useResort } from "../../support/use-resort.ts";

const resort = useResort({ shared: true });
const ada = useGuest(resort);

const breathe = (headers: Record<string, string>) =>
	resort.call("POST", "/api/activities/tidepool-float/do", { key: ada.key, headers });

test.each([
	["no characters", 400, ""],
	["an empty quoted text", 400, '""'],
	["only one quotation mark", 400, '"a'],
	["a space outside quotation marks", 400, "a b"],
	["two quoted texts", 400, '"a", "b"'],
	["a letter that is not ASCII", 400, "é"],
	["a backslash before a letter", 400, '"a\\b"'],
	["256 quoted characters, one more than the limit,", 400, `"${"a".repeat(256)}"`],
	["255 characters, the maximum,", 201, "a".repeat(255)],
	["15 characters, one fewer than the minimum,", 400, "a".repeat(15)],
	["16 characters, the minimum,", 201, "a".repeat(16)],
	["15 quoted characters", 400, '"eight of 15 ch "'],
	["16 quoted characters", 201, '"two words of 16 "'],
	["a quotation mark after a backslash", 201, '"a\\" quoted mark. "'],
])("a call whose Idempotency-Key has %s returns %i", async (_, expected, field) => {
	expect((await breathe({ "idempotency-key": field })).status).toBe(expected);
});

test.each([
	["return=minimal, return=representation", "selects", "the first value counts"],
	["return=representation, return=minimal", "does not select", "the first value counts"],
	['return="minimal"', "selects", "a value may be quoted"],
	["Return = MINIMAL ; x=1", "selects", "case, spaces and parameters are ignored"],
	['wait=10, respond-async; a="b, return=representation", return=minimal', "selects", "all else is ignored"],
	['a="\\", return=minimal', "does not select", "the quoted text does not end"],
	['a="return=minimal"', "does not select", "the text is the value of another preference"],
	["a; return=minimal", "does not select", "`return` is a parameter of another preference"],
	["return; x=minimal, return=minimal", "does not select", "the first `return` has no value"],
	["returning=minimal", "does not select", "`returning` is another preference"],
	["return=minimalist", "does not select", "`minimalist` is another value"],
])("`Prefer: %s` %s the minimal response: %s", async (prefer, verb) => {
	// A field that a request repeats arrives as one, joined with a comma (RFC 9110, section 5.3).
	for (const value of [prefer, `wait=1, ${prefer}`]) {
		const { headers } = await breathe({ prefer: value });
		expect(headers.get("preference-applied")).toBe(verb === "selects" ? "return=minimal" : null);
	}
});
