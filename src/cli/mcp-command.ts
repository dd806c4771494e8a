import {
	type Configuration,
	readConfiguration,
} from "../client/configuration.ts";
import { report } from "../client/terminal.ts";
import type { Flags } from "../config/setting-sources.ts";
import { SECOND_MS } from "../lib/clock.ts";
import { StartError } from "../lib/start-error.ts";
import { openBridge } from "./mcp-bridge.ts";
import { print } from "./print.ts";
import type { Command } from "./resort-command.ts";

/** How long calls may take after the client has closed stdin. Then it kills. */
const GRACE_MS = SECOND_MS;

/** `resort mcp` */
export const mcp: Command = {
	summary: "Connect an MCP client on stdin and stdout with a resort",
	about: `Carries messages of the Model Context Protocol between stdin and stdout and a resort, for clients that start
programs. Ends when stdin ends. Only messages go to stdout.

Without --url the address is RESORT_API_URL, or the one in the configuration of the command-line client,
~/.agent-resort.json ({"apiKey","agentId","apiUrl"}). Its key goes only to the origin that it was stored for;
RESORT_API_KEY goes to the address in use. Without a key, every tool takes one as its argument apiKey.`,
	words: "",
	flags: {
		url: { value: "URL", help: "address of the resort, with or without /mcp" },
		config: { value: "FILE", help: "configuration of the client" },
		insecure: { help: "allow http: to other machines" },
	},
	async run({ flags }) {
		const { url, key } = configurationOf(flags);
		const bridge = openBridge(new URL(`${url}/mcp`), key, (line) =>
			print(`${line}\n`),
		);
		for await (const line of console) await bridge.carry(line);
		await bridge.end(GRACE_MS);
		process.exit(0);
	},
};

function configurationOf(flags: Flags): Configuration {
	const url = flags.url?.replace(/\/mcp\/*$/, "");
	const configuration = readConfiguration(
		{ ...flags, ...(url !== undefined && { url }) },
		process.env,
	);
	for (const warning of configuration.warnings) report(`warning: ${warning}`);
	if (configuration.url !== null) return configuration;
	throw new StartError(
		"no resort: give --url, RESORT_API_URL, or a configuration of the client: ~/.agent-resort.json, or --config FILE",
		2,
	);
}
