import { readConfiguration } from "../command-line-client/configuration.ts";
import { bridge, carryMessages } from "../command-line-client/mcp-bridge.ts";
import { report } from "../command-line-client/terminal.ts";
import type { Command } from "./resort-command.ts";

/** `resort mcp` */
export const mcp: Command = {
	...bridge,
	about: `Forwards Model Context Protocol messages between stdin and stdout and a resort, for clients that start
programs. Exits when stdin ends. Only messages go to stdout.

Without --url the address is RESORT_API_URL, or the one in the configuration of the command-line client,
~/.agent-resort.json ({"apiKey","agentId","apiUrl"}). Its key goes only to the origin that it was stored for;
RESORT_API_KEY goes to the address in use. Without a key, every tool that needs one accepts it as its argument apiKey.`,
	flags: {
		...bridge.flags,
		config: { value: "FILE", help: "configuration of the client" },
		insecure: { help: "allow http: to other machines" },
	},
	async run({ flags }) {
		const configuration = readConfiguration(flags, process.env);
		for (const warning of configuration.warnings) report(`warning: ${warning}`);
		await carryMessages(configuration);
	},
};
