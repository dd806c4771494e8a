import { describe, expect, test } from "bun:test";
import { helpOf } from "../../../src/core/lib/command-help.ts";
import {
	type CommandShape,
	commandIndex,
	commandNamed,
	parseCommandLine,
} from "../../../src/core/lib/command-line.ts";
import { UsageError } from "../../../src/core/lib/start-error.ts";

const shape: CommandShape = {
	summary: "Does it.",
	words: "FILE [ID...]",
	flags: {
		port: { value: "N", help: "the port", preset: "4100" },
		"a-flag-of-width-26": { value: "VALUE", help: "fits" },
		"a-flag-of-width-27": { value: "VALUES", help: "does not fit" },
		wide: { help: "with or without a value", read: (text) => text },
		on: { help: "a switch" },
	},
	about: "More.",
	startsProgram: true,
};

const parse = (args: string, words = shape.words) =>
	parseCommandLine(args.split(" ").filter(Boolean), "do", { ...shape, words });

test.each<[args: string, words: string[], flags: object]>([
	["a", ["a"], {}],
	["a b c", ["a", "b", "c"], {}],
	["a --port 1 --port=2", ["a"], { port: "2" }],
	["--on a", ["a"], { on: "on" }],
	["--wide a", ["a"], { wide: "on" }],
	["--wide=x a", ["a"], { wide: "x" }],
	["--port=--on a", ["a"], { port: "--on" }],
	["-h", [], { help: "on" }],
])("parseCommandLine parses %j into the words %j and the flags %j", (args, words, flags) => {
	const { values, ...parsed } = parse(args);
	expect(parsed).toEqual({ words, flags: { ...flags }, program: null });
	expect([...values.keys()]).toEqual(Object.keys(flags));
});

test("parseCommandLine keeps all values of a repeated flag, and takes the words after `--` as a program to start", () => {
	const { words, values, program } = parse("a --port 1 --port=2 -- --on b");
	expect(words).toEqual(["a"]);
	expect([...values]).toEqual([["port", ["1", "2"]]]);
	expect(program).toEqual(["--on", "b"]);
});

test.each([
	["a missing word", ""],
	["a final flag without a value", "--port"],
	["a flag in place of a value", "--port --on a"],
	["a value for a switch", "--on=1 a"],
	["an unknown short flag", "-p a"],
	["an unknown flag", "--no a"],
	["the name of an inherited property as a flag", "--constructor a"],
	["a flag and no word", "--port 1"],
])("parseCommandLine refuses %s", (_, args) => {
	expect(() => parse(args)).toThrow(UsageError);
});

test.each([
	["no words", "", ["a"], [""]],
	["one word", "A", ["", "a b"], ["a"]],
	["two words", "A B", ["a"], ["a b"]],
	["one word and an optional one", "A [B]", ["", "a b c"], ["a", "a b"]],
	["the word `on` or `off`", "on|off", ["", "no", "on off"], ["on", "off"]],
])("for a command that takes %s, parseCommandLine refuses anything else", (_, words, wrong, right) => {
	for (const args of wrong) {
		expect(() => parse(args, words)).toThrow(UsageError);
	}
	for (const args of right) expect(parse(args, words).flags).toEqual({});
});

test("parseCommandLine refuses an empty word", () => {
	expect(() => parseCommandLine([""], "do", shape)).toThrow(UsageError);
});

test.each([
	["returns 0 if the command comes first", "serve x", 0],
	["skips a flag that all commands share, and its value", "--config f serve", 2],
	["skips `--help`", "--help serve", 1],
	["skips `-h`", "-h serve", 1],
	["returns -1 if a flag that belongs to one command comes first", "--port 1 serve", -1],
	["returns -1 if there is only `--`", "--", -1],
	["returns -1 if there is only an empty word", "", -1],
])("commandIndex %s", (_, args, index) => {
	const shared = { config: { value: "FILE", help: "" } };
	expect(commandIndex(args.split(" "), shared)).toBe(index);
	expect(commandIndex([], shared)).toBe(-1);
});

test('commandNamed finds the command "serve", but not the inherited property "toString"', () => {
	expect(commandNamed({ serve: 1 }, "serve")).toBe(1);
	expect(() => commandNamed({ serve: 1 }, "toString")).toThrow(UsageError);
});

describe("the help of a command", () => {
	test("describes its words and flags in columns", () => {
		// To record the snapshot again, add --update-snapshots.
		expect(helpOf("do", shape, ["Between."])).toMatchSnapshot();
	});

	test("mentions flags only if the command has any", () => {
		const plain = { summary: "Does it.", words: "", flags: {} };
		expect(helpOf("do", plain)).toBe("Usage: do\n\nDoes it.\n");
		const { on = { help: "" } } = shape.flags;
		expect(helpOf("do", { ...plain, flags: { on } })).toContain("[FLAGS]");
	});
});
