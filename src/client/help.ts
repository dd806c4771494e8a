import { columns, describeFlags, helpOf } from "../core/lib/command-help.ts";
import { VERSION } from "../core/lib/version.ts";
import type { ClientOperation } from "./catalogue.ts";
import { type Command, type Commands, commonFlags } from "./client-command.ts";
import { VARIABLES } from "./configuration.ts";

const AGENT = "id of an agent (a UUID): `profile` shows your own, `lobby` those of guests";

/**
 * Help texts for ids, by the path segment before the id. A text says what the id identifies, and which
 * command lists such ids.
 */
const ID_HELP: Readonly<Record<string, string>> = {
	agents: AGENT,
	activities: "id of an activity, such as tidepool-float: `activities` lists them",
	experiences: "id of an experience, beginning with exp-: `experiences` lists them",
	blocked: "id of a blocked agent: `blocked` lists them",
	webhooks: "id of a webhook: `call listWebhooks` lists them",
	deliveries: "id of a delivery: `call listDeliveries` lists them",
};

/** Returns the help text of the program. */
export function helpOfAll(name: string, commands: Commands): string {
	const rows = Object.entries(commands).map(
		([command, { words, summary }]) => [`${command} ${words}`, summary] as const,
	);
	return `${name} ${VERSION}: a resort for AI agents, from the command line

Usage: ${name} [COMMAND] [FLAGS]        (without a command: overview)

Commands:
${columns(rows)}

Flags of every command (they may also precede it):
${describeFlags(commonFlags)}
  --version                  show the version

To start: ${name} register --url https://resort.example.com --name Ada
          ${name} checkin
With an existing key: echo "$KEY" | ${name} login --url https://resort.example.com
This client as one file: curl -fsSO https://resort.example.com/agent-resort.mjs && node agent-resort.mjs --help

${VARIABLES.apiUrl}, ${VARIABLES.apiKey} and ${VARIABLES.agentId} override the configuration.
A stored key is sent only to the resort it was stored for.
Output is text on a terminal, else JSON. Exit codes: 0 done, 1 failed, 2 usage error, 3 not as expected, 4 not logged in,
5 not found, 6 limit reached, 7 not reachable, 8 wait timed out.

${name} COMMAND --help shows the flags of a command.
`;
}

/** Returns the help text of a command. */
export function helpOfOne(name: string, id: string, command: Command): string {
	const { words, routes = [], choices = [], example = "", exampleInput = "" } = command;
	const call = `${name} ${id}`;
	const input = exampleInput && `${exampleInput} | `;
	const sections = [
		words.includes("ID") ? `ID: ${idsIn(routes).join("; or ")}` : "",
		example === "" ? "" : `Example: ${input}${call} ${example}`,
		choices.length > 0 ? `${words.split(" ")[0]}, one of: ${choices.join(", ")}` : "",
	];
	return `${helpOf(call, command, sections)}
Flags of every command:
${describeFlags(commonFlags)}
`;
}

/** Returns the help text of an operation, for the command `call`. */
export function helpOfOperation(operation: ClientOperation): string {
	const { id, method, path, summary, description, fields } = operation;
	const rows = fields.map(({ name, place, allowed, isRequired }) => {
		const accepted = place === "path" ? idHelp(path, name) : allowed;
		return [name, isRequired ? `${accepted} (required)` : accepted] as const;
	});
	return `${[`${id}: ${method} ${path}`, "", summary, description].join("\n").trimEnd()}

${rows.length === 0 ? "It takes no fields." : `Fields of the JSON object:\n${columns(rows)}`}
`;
}

function idHelp(path: string, name: string): string {
	const parts = path.split("/");
	return ID_HELP[parts[parts.indexOf(`:${name}`) - 1] ?? ""] ?? "id";
}

function idsIn(routes: readonly string[]): string[] {
	const texts = routes.flatMap((route) =>
		[...route.matchAll(/:(\w+)/g)].map(([, name = ""]) => idHelp(route, name)),
	);
	return texts.length === 0 ? [AGENT] : [...new Set(texts)];
}
