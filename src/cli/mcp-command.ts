import { readConfiguration } from "../client/configuration.ts";
import { bridge, carryMessages } from "../client/mcp-bridge.ts";
import { report } from "../client/terminal.ts";
import type { Command } from "../core/commands/resort-command.ts";

/** `resort mcp` */
export const mcp: Command = {
	...bridge,
	about: `Connects an MCP client that starts servers as local programs (stdio) to a resort. Exits when stdin ends. Only
messages go to stdout.

Without --url, the address is RESORT_API_URL or the one in the configuration of the command-line client,
~/.agent-resort.json ({"apiKey","agentId","apiUrl"}). The stored key is sent only to the origin it was stored for;
RESORT_API_KEY is sent to the address in use. Without a key, tools that need one accept it as the argument apiKey.`,
	flags: {
		...bridge.flags,
		config: { value: "FILE", help: "client configuration file" },
		insecure: { help: "allow http: to other machines" },
	},
	async run({ flags }) {
		const configuration = readConfiguration(flags, process.env);
		for (const warning of configuration.warnings) report(`warning: ${warning}`);
		await carryMessages(configuration);
	},
};
