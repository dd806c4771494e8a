import { VERSION } from "../lib/version.ts";
import type { ClientOperation } from "./catalogue.ts";
import type { Command } from "./command.ts";
import { VARIABLES } from "./configuration.ts";
import { commonFlags, type Flags } from "./flags.ts";

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

Flags of every command:
${describeFlags(commonFlags)}
  --version                    the version

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
	{ words, summary, about, flags, choices = [] }: Command,
): string {
	const own = Object.keys(flags).length > 0;
	const some = choices.length > 0 && words !== choices.join();
	return `Usage: ${[name, command, words, "[FLAGS]"].filter(Boolean).join(" ")}

${summary}
${
	about
		? `${about}
`
		: ""
}${own ? `\nFlags:\n${describeFlags(flags)}\n` : ""}${some ? `\nOne of: ${choices.join(", ")}\n` : ""}
Flags of every command:
${describeFlags(commonFlags)}
`;
}

/** The help of an operation, for who calls it by its id. */
export function helpOfOperation(operation: ClientOperation): string {
	const { id, method, path, summary, description, fields } = operation;
	const rows = fields.map(
		({ name, allowed, isRequired }) =>
			[name, isRequired ? `${allowed} (required)` : allowed] as const,
	);
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
