import { expect, test } from "bun:test";
import { catalogue } from "../../src/client/catalogue.ts";
import { commands } from "../../src/client/commands.ts";
import { helpOfAll, helpOfOne, helpOfOperation } from "../../src/client/help.ts";
import { VERSION } from "../../src/core/lib/version.ts";

const name = "resort guest";

// To record the help texts again, add --update-snapshots.
test("help lists all commands", () => {
	const text = helpOfAll(name, commands);
	expect(text.replace(VERSION, "VERSION")).toMatchSnapshot();
});

test.each(Object.entries(commands))('help describes the command "%s"', (id, command) => {
	expect(helpOfOne(name, id, command)).toMatchSnapshot();
});

test.each(catalogue.map((operation) => [operation.id, operation] as const))(
	'help describes the operation "%s"',
	(_, operation) => {
		expect(helpOfOperation(operation)).toMatchSnapshot();
	},
);
