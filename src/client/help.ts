import { VERSION } from "../lib/version.ts";
import type { ClientOperation } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { VARIABLES } from "./configuration.ts";
import { commonFlags, type Flags } from "./flags.ts";
import { idIn, idsOf } from "./ids.ts";
import { inFlags } from "./phrasing.ts";

/** How wide a flag and its value may be beside their help, in characters. */
const COLUMN = 28;

/** The help of the program. */
export function helpOfAll(
	name: string,
	commands: Readonly<Record<string, Command>>,
): string {
	const rows = Object.entries(commands).map(
		([command, { words, summary }]) =>
			[`${command} ${words}`, summary] as const,
	);
	return `${name} ${VERSION}: a resort for AI agents, from the command line

Usage: ${name} [COMMAND] [FLAGS]        (without a command: overview)

Commands:
${table(rows)}

Flags of every command, which may also stand before it:
${describeFlags(commonFlags)}
  --version                    the version

To begin: ${name} register --url https://resort.example.com --name Ada
          ${name} checkin
For a key that you have: echo "$KEY" | ${name} login --url https://resort.example.com
Not installed? npx --yes https://resort.example.com/client.tgz stands for ${name}.

${VARIABLES.apiUrl}, ${VARIABLES.apiKey} and ${VARIABLES.agentId} win over the configuration.
The key of the configuration goes to the resort that it is for, and to no other.
Text on a terminal, else JSON. Exit codes: 0 done, 1 failed, 2 wrong command line, 4 no good key, 5 not found,
6 limit reached, 7 not reachable, 8 waited in vain.

${name} COMMAND --help tells the flags of a command.
`;
}

/** The help of a command. */
export function helpOfOne(
	name: string,
	command: string,
	known: Command,
): string {
	const { words, summary, about = "", flags } = known;
	const { example = "", exampleInput = "", choices = [], routes = [] } = known;
	const line = [name, command];
	const isAny = choices.length > 0 && words !== choices.join("|");
	return [
		`Usage: ${[...line, words, "[FLAGS]"].filter(Boolean).join(" ")}`,
		[summary, inFlags(flags, about)].filter(Boolean).join("\n"),
		words.includes("ID") && `ID: ${idsOf(routes).join("; or ")}`,
		example !== "" &&
			`Example: ${exampleInput && `${exampleInput} | `}${[...line, example].join(" ")}`,
		Object.keys(flags).length > 0 && `Flags:\n${describeFlags(flags)}`,
		isAny && `${words.split(" ")[0]}, one of: ${choices.join(", ")}`,
		`Flags of every command:\n${describeFlags(commonFlags)}\n`,
	]
		.filter((part) => part !== false)
		.join("\n\n");
}

/** The help of an operation, for who calls it by its id. */
export function helpOfOperation(operation: ClientOperation): string {
	const { id, method, path, summary, description, fields } = operation;
	const rows = fields.map(({ name, place, allowed, isRequired }) => {
		const taken = place === "path" ? idIn(path, name) : allowed;
		return [name, isRequired ? `${taken} (required)` : taken] as const;
	});
	return `${[`${id}: ${method} ${path}`, "", summary, description].join("\n").trimEnd()}

${rows.length === 0 ? "It takes no fields." : `Fields of the JSON object:\n${table(rows)}`}
`;
}

function describeFlags(flags: Flags): string {
	return table(
		Object.entries(flags).map(([name, { value, help }]) => [
			value === undefined ? `--${name}` : `--${name} ${value}`,
			help,
		]),
	);
}

function table(rows: readonly (readonly [string, string])[]): string {
	return rows
		.map(([first, second]) => `  ${first.padEnd(COLUMN)} ${second}`.trimEnd())
		.join("\n");
}
