import { describe, expect, test } from "bun:test";
import { operationAt } from "../../src/command-line-client/catalogue.ts";
import { commands } from "../../src/command-line-client/commands.ts";
import {
	helpOfOne,
	helpOfOperation,
} from "../../src/command-line-client/help.ts";

const name = "resort guest";

/** Returns the lines of a command's help text that describe its id, its example and its choices. */
function linesOf(id: string, command = commands[id]): string[] {
	if (command === undefined) throw new Error(`no command ${id}`);
	const lines = helpOfOne(name, id, command).split("\n");
	return lines.filter((line) => /^ID: |^Example: |, one of: /.test(line));
}

describe("the help text of a command", () => {
	test("has an example if there is one", () => {
		expect(linesOf("postcards")).toEqual([]);
		expect(linesOf("hook")).toEqual([`Example: ${name} hook rest`]);
		expect(linesOf("login")).toEqual([
			`Example: echo "$KEY" | ${name} login --url https://resort.example.com`,
		]);
	});

	test("tells the first word's choices, even a single one", () => {
		const { hook } = commands;
		const [, line] = linesOf("hook", hook && { ...hook, choices: ["only"] });
		expect(line).toBe("rest|work, one of: only");
		expect(linesOf("call")[1]).toStartWith(
			"OPERATION, one of: registerAgent, ",
		);
	});

	test.each([
		["block", ["profile", "lobby"]],
		["unblock", ["blocked"]],
		["rate", ["experiences"]],
		["do", ["activities", "experiences"]],
		["status", ["profile", "lobby"]],
	])("tells which commands list the ids of %s", (id, listing) => {
		const ids = linesOf(id).find((line) => line.startsWith("ID: ")) ?? "";
		const named = [...ids.matchAll(/`(\w+)`/g)].map(([, command]) => command);
		expect(named).toEqual(listing);
	});
});

test.each([
	["GET /api/me", []],
	["GET /api/agents/:id", [/^ +id +.*`profile`.* \(required\)$/]],
	[
		"POST /api/experiences/:id/vote",
		[/`experiences`.* \(required\)$/, /^ +rating .* \(required\)$/, /review/],
	],
])("the help text of the operation %s lists its fields", (route, expected) => {
	const [, fields = ""] = helpOfOperation(operationAt(route)).split(":\n");
	const lines = fields.split("\n").filter(Boolean);
	expect(lines).toEqual(expected.map((line) => expect.stringMatching(line)));
});
