import { describe, expect, test } from "bun:test";
import type { ClientField } from "../../src/client/catalogue.ts";
import { flagsOf, valuesOf } from "../../src/client/field-flags.ts";
import { parseCommandLine } from "../../src/core/lib/command-line.ts";

const usual = { place: "body", isRequired: false, allowed: "its values", choices: [] } as const;
const field = (name: string, kind: ClientField["kind"] = "text", more: Partial<ClientField> = {}) => ({
	...usual,
	name,
	kind,
	...more,
});

const fields = [
	field("someText"),
	field("count", "number"),
	field("list", "list"),
	field("one", "list", { choices: ["a"] }),
	field("two", "list", { choices: ["a", "b"], isRequired: true }),
	field("choice", "text", { choices: ["a"] }),
	field("found", "list", { place: "query", choices: ["a", "b"] }),
	field("someObject", "object"),
	field("id", "text", { place: "path" }),
	field("agentId", "text", { isRequired: true }),
	field("otherId"),
];

test("flagsOf returns a flag for each field, but none for an object or for an id that is an argument", () => {
	// To record the snapshot again, add --update-snapshots.
	expect(flagsOf(fields)).toMatchSnapshot();
});

describe("valuesOf", () => {
	const parse = (line: string) => {
		const shape = { summary: "", words: "", flags: flagsOf(fields) };
		return valuesOf(parseCommandLine(line.split(" "), "x", shape), fields);
	};

	test.each([
		["--some-text a --some-text b", { someText: "b" }],
		["--count 5", { count: 5 }],
		["--count -1.5", { count: -1.5 }],
		["--count 123456789012345", { count: 123456789012345 }],
		["--count 0.123456789012345", { count: 0.123456789012345 }],
		["--list a", { list: ["a"] }],
		["--list a --list b", { list: ["a", "b"] }],
		["--list=", { list: [] }],
		["--list a --list=", { list: ["a", ""] }],
		["--choice a", { choice: "a" }],
		["--found a, --found b", { found: "a,,b" }],
	])("converts the flags `%s` to `%j`", (line, values) => {
		expect(parse(line)).toEqual(values);
	});

	test.each([
		["--count 1234567890123456", "over 15 digits"],
		["--count 0.1234567890123456", "over 15 decimals"],
		["--choice b", "not one of the choices"],
		["--one b", "not the only allowed value"],
		["--two c", "not one of the choices"],
		["--two a --two=", "an empty value"],
		["--found a,c", "a second value that is not one of the choices"],
	])("refuses the flags `%s` (%s)", (line) => {
		expect(() => parse(line)).toThrow(": must be ");
	});
});
